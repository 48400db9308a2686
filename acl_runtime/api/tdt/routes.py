"""acl/acl_tdt_queue.h: routes, along which the messages of a queue go on to another queue."""

from ctypes import c_uint32
from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.tdt as t
from acl_runtime.api.live_objects import discard, discard_required, required
from acl_runtime.api.memory.buffers import load, store
from acl_runtime.api.refusals import invalid, null
from acl_runtime.api.tdt.items import DEAD
from acl_runtime.api.tdt.queues import HEADER
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import (
    acltdtQueueRouteParamType,
    acltdtQueueRouteQueryInfoParamType,
    acltdtQueueRouteQueryMode,
)
from acl_runtime.headers.handles import acltdtQueueRoute, acltdtQueueRouteList, acltdtQueueRouteQueryInfo
from acl_runtime.machine.current import current
from acl_runtime.objects.queues import Queues, Route, RouteList, RouteQuery

UNBOUND, BOUND, ABNORMAL = range(3)
WIDTH: Final = 4
"""bytes of each parameter"""
MODES: Final = acltdtQueueRouteQueryMode
MODE, SOURCE, TARGET = acltdtQueueRouteQueryInfoParamType
NEEDED: Final = {
    MODES.ACL_TDTQUEUE_ROUTE_QUERY_SRC: (SOURCE,),
    MODES.ACL_TDTQUEUE_ROUTE_QUERY_DST: (TARGET,),
    MODES.ACL_TDTQUEUE_ROUTE_QUERY_SRC_AND_DST: (SOURCE, TARGET),
    MODES.ACL_TDTQUEUE_ROUTE_QUERY_ABNORMAL: (),
}
"""the ids that each mode of a query needs"""


@acl_api(HEADER)
def acltdtCreateQueueRoute(srcId: c.uint32_t, dstId: c.uint32_t) -> t.new_acltdtQueueRoute:
    """Create a route between the queues of two ids, which is not bound."""
    return acltdtQueueRoute(current().handles.add(Route(srcId, dstId)))


@acl_api(HEADER, also=DEAD)
def acltdtDestroyQueueRoute(route: t.const_acltdtQueueRoute_p) -> c.aclError:
    """Destroy a route. A bound route stays bound.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `route` is null.
    """
    discard_required(route, Route, "route")


@acl_api(HEADER, also=DEAD)
def acltdtGetQueueRouteParam(
    route: t.const_acltdtQueueRoute_p,
    type: t.acltdtQueueRouteParamType,
    len: c.size_t,
    paramRetSize: c.size_t_p,
    param: c.void_p,
) -> c.aclError:
    """Query the source, the target or the status of a route: 0 unbound, 1 bound, 2 abnormal.

    Returns:
        ACL_SUCCESS: `*paramRetSize` bytes at `param` are the value.
        ACL_ERROR_INVALID_PARAM: `route`, `paramRetSize` or `param` is null; there is no such parameter; `len` is less
            than 4.
    """
    live_route = required(route, Route, "route")
    if paramRetSize.null:
        raise null("paramRetSize")
    if not param.value:
        raise null("param")
    if type not in tuple(acltdtQueueRouteParamType):
        raise invalid(type, "type", "an acltdtQueueRouteParamType")
    if len < WIDTH:
        raise invalid(len, "len", "4 bytes")
    value = (live_route.source, live_route.target, live_route.status)[type]
    store(param, c_uint32(value), "param")
    paramRetSize.store(WIDTH)


@acl_api(HEADER)
def acltdtCreateQueueRouteList() -> t.new_acltdtQueueRouteList:
    """Create a list without routes."""
    return acltdtQueueRouteList(current().handles.add(RouteList()))


@acl_api(HEADER, also=DEAD)
def acltdtDestroyQueueRouteList(routeList: t.const_acltdtQueueRouteList_p) -> c.aclError:
    """Destroy a list of routes.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `routeList` is null.
    """
    _list(routeList)
    discard(routeList, RouteList, "routeList")


@acl_api(HEADER, also=DEAD)
def acltdtAddQueueRoute(routeList: t.acltdtQueueRouteList_p, route: t.const_acltdtQueueRoute_p) -> c.aclError:
    """Append a copy of a route to a list.

    Returns:
        ACL_SUCCESS: appended.
        ACL_ERROR_INVALID_PARAM: an argument is null.
    """
    routes, live_route = _list(routeList).routes, required(route, Route, "route")
    routes.append(Route(live_route.source, live_route.target, live_route.status))


@acl_api(HEADER, also=DEAD)
def acltdtGetQueueRoute(
    routeList: t.const_acltdtQueueRouteList_p, index: c.size_t, route: t.acltdtQueueRoute_p
) -> c.aclError:
    """Copy a route of a list to `route`.

    Returns:
        ACL_SUCCESS: copied.
        ACL_ERROR_INVALID_PARAM: a handle is null, or the list has fewer routes.
    """
    routes, live_route = _list(routeList).routes, required(route, Route, "route")
    if index >= len(routes):
        raise invalid(index, "index", f"less than {len(routes)}")
    found = routes[index]
    live_route.source, live_route.target, live_route.status = found.source, found.target, found.status


@acl_api(HEADER)
def acltdtGetQueueRouteNum(routeList: t.const_acltdtQueueRouteList_p) -> c.size_t_result:
    """The number of routes in a list; 0 for null."""
    return len(_list(routeList).routes) if routeList else 0


@acl_api(HEADER)
def acltdtCreateQueueRouteQueryInfo() -> t.new_acltdtQueueRouteQueryInfo:
    """Create a query without a mode."""
    return acltdtQueueRouteQueryInfo(current().handles.add(RouteQuery()))


@acl_api(HEADER, also=DEAD)
def acltdtDestroyQueueRouteQueryInfo(param: t.const_acltdtQueueRouteQueryInfo_p) -> c.aclError:
    """Destroy a query.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `param` is null.
    """
    discard_required(param, RouteQuery, "param")


@acl_api(HEADER, also=DEAD)
def acltdtSetQueueRouteQueryInfo(
    param: t.acltdtQueueRouteQueryInfo_p,
    type: t.acltdtQueueRouteQueryInfoParamType,
    len: c.size_t,
    value: c.const_void_p,
) -> c.aclError:
    """Set the mode of a query, or the id of its source or target.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `param` or `value` is null; there is no such parameter; `len` is not 4.
    """
    query = required(param, RouteQuery, "param")
    if not value.value:
        raise null("value")
    if type not in tuple(acltdtQueueRouteQueryInfoParamType):
        raise invalid(type, "type", "an acltdtQueueRouteQueryInfoParamType")
    if len != WIDTH:
        raise invalid(len, "len", "4 bytes")
    query.values[type] = load(value, c_uint32 * 1, "value")[0]


@acl_api(HEADER, also=DEAD)
def acltdtBindQueueRoutes(qRouteList: t.acltdtQueueRouteList_p) -> c.aclError:
    """Bind the routes of a list. Messages then go from the source to the target. The status of each route in the list
    becomes bound, or abnormal if a queue does not exist.

    Returns:
        ACL_SUCCESS: the list has the status of each route.
        ACL_ERROR_INVALID_PARAM: `qRouteList` is null.
    """
    queues = current().part(Queues)
    for route in _list(qRouteList, "qRouteList").routes:
        exists = route.source in queues.by_id and route.target in queues.by_id
        route.status = BOUND if exists else ABNORMAL
        if exists:
            queues.bound[route.source, route.target] = None
    queues.forward()
    current().scheduler.happened()


@acl_api(HEADER, also=DEAD)
def acltdtUnbindQueueRoutes(qRouteList: t.acltdtQueueRouteList_p) -> c.aclError:
    """Undo acltdtBindQueueRoutes.

    Returns:
        ACL_SUCCESS: no route of the list is bound.
        ACL_ERROR_INVALID_PARAM: `qRouteList` is null.
    """
    queues = current().part(Queues)
    for route in _list(qRouteList, "qRouteList").routes:
        queues.bound.pop((route.source, route.target), None)
        route.status = UNBOUND


@acl_api(HEADER, also=DEAD)
def acltdtQueryQueueRoutes(
    queryInfo: t.const_acltdtQueueRouteQueryInfo_p, qRouteList: t.acltdtQueueRouteList_p
) -> c.aclError:
    """Replace the routes of a list by the bound routes that a query selects: by source, by target, by both. No route
    here becomes abnormal after it was bound.

    Returns:
        ACL_SUCCESS: the list has the routes.
        ACL_ERROR_INVALID_PARAM: a handle is null; the query has no mode or an unknown one, or lacks the id that its
            mode needs.
    """
    routes = _list(qRouteList, "qRouteList").routes
    query = required(queryInfo, RouteQuery, "queryInfo").values
    routes.clear()
    mode = query.get(MODE)
    if mode not in NEEDED:
        raise invalid(mode, "queryInfo", "a query with an acltdtQueueRouteQueryMode")
    ids = NEEDED[MODES(mode)]
    if any(kind not in query for kind in ids):
        raise invalid(mode, "queryInfo", "a query with the ids that its mode needs")
    if ids:
        routes += [
            Route(source, target, BOUND)
            for source, target in current().part(Queues).bound
            if query.get(SOURCE if SOURCE in ids else -1, source) == source
            and query.get(TARGET if TARGET in ids else -1, target) == target
        ]


def _list(number: int, parameter: str = "routeList") -> RouteList:
    return required(number, RouteList, parameter)
