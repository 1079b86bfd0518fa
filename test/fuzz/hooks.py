"""What Schemathesis cannot know of a gateway: ids that exist, and what a cache may store."""

import itertools
import json
import os

import schemathesis

KNOWN = json.loads(os.environ["KNOWN_PARAMETERS"])
turns = itertools.count()


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """Puts an id that exists into three of four requests; the fourth keeps what was made up."""
    if path_parameters and next(turns) % 4:
        for name, values in KNOWN.items():
            if name in path_parameters:
                path_parameters[name] = values[next(turns) % len(values)]
    return path_parameters


@schemathesis.hook
def map_query(context, query):
    """Lets no call wait for an event that does not come, longer than the time limit of a request."""
    if query and query.get("wait") in [f"{seconds}s" for seconds in range(31)]:
        query["wait"] = "0s"
    return query


@schemathesis.check
def answers_are_not_stored(ctx, response, case):
    """No answer to a call of the admin API, and no error, may be stored by a cache."""
    given = response.headers.get("cache-control")
    if case.path.startswith("/admin") or response.status_code >= 400:
        assert given == ["no-store"], f"Cache-Control is {given}"
