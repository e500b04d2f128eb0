"""Logging in and out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field, StringConstraints
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from kifuwatch.live.auth import COOKIE, LASTS, Gate
from kifuwatch.live.web import is_arbiter

router = APIRouter(prefix="/api")


class Login(BaseModel):
    """What is asked for."""

    token: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] = Field(repr=False)


@router.get("/session")
def session(request: Request) -> dict[str, bool]:
    """Whether whoever asks may rule."""
    return {"arbiter": is_arbiter(request)}


@router.post("/login")
def login(request: Request, given: Login) -> Response:
    """A cookie for the token."""
    gate = request.app.state.gate
    assert isinstance(gate, Gate)
    address = request.client.host if request.client else ""
    if gate.busy(address):
        raise HTTPException(429, "too many wrong tokens: wait a minute", headers={"Retry-After": "60"})
    if not gate.admits(given.token, address):
        raise HTTPException(401, "this is not the token of this server")
    answer = JSONResponse({"arbiter": True})
    secure = request.url.scheme == "https"  # behind a web server with TLS
    answer.set_cookie(COOKIE, gate.cookie(), max_age=LASTS, httponly=True, samesite="strict", path="/", secure=secure)
    return answer


@router.post("/logout")
def logout() -> Response:
    """The cookie is taken away."""
    answer = JSONResponse({"arbiter": False})
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return answer
