// Where the arbiter signs in. The token goes in the body of one request and nowhere else.

import { $, say } from "./dom.js";
import { begin, title } from "./frame.js";
import { post } from "./net.js";
import { onLanguage, t } from "./text.js";

const { arbiter } = await begin("login");

/** Where to go on: a page of this server, whatever the address says. */
function next() {
  const wanted = new URLSearchParams(location.search).get("next") || "/";
  return /^\/(?![/\\])/.test(wanted) ? new URL(wanted, location.origin).pathname : "/";
}

if (arbiter) location.replace(next());
const name = () => title(t("login.title"));
name();
onLanguage(name);
$("#token").focus();
$("#form").addEventListener("submit", async (event) => {
  event.preventDefault();
  say($("#wrong"), "");
  try {
    await post("/api/login", { token: $("#token").value.trim() });
    location.assign(next());
  } catch (error) {
    say(
      $("#wrong"),
      error.status === 0 ? t("frame.no-answer") : error.status === 429 ? error.message : t("login.wrong"),
    );
    $("#token").select();
  }
});
