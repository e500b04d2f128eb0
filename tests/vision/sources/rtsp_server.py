"""An RTSP camera that shows colour bars in H.264; run by a Python that has GStreamer's bindings.

Usage: rtsp_server.py PORT (0: any free one); prints the port when it is ready.
"""

import sys

import gi  # type: ignore[import-not-found]

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # type: ignore[import-not-found]  # noqa: E402

Gst.init(None)
if Gst.ElementFactory.find("x264enc") is None:
    sys.exit("GStreamer has no x264enc")
server = GstRtspServer.RTSPServer(address="127.0.0.1", service=sys.argv[1])
factory = GstRtspServer.RTSPMediaFactory(shared=True)
factory.set_launch(
    "( videotestsrc is-live=true pattern=smpte100 ! video/x-raw,width=320,height=240,framerate=25/1 "
    "! videoconvert ! video/x-raw,format=I420 ! x264enc tune=zerolatency key-int-max=5 speed-preset=ultrafast "
    "! rtph264pay name=pay0 config-interval=1 )"
)
server.get_mount_points().add_factory("/cam", factory)
if server.attach(None) == 0:
    sys.exit("the port is taken")
print(server.get_bound_port(), flush=True)
GLib.MainLoop().run()
