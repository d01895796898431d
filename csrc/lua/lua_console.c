/* lua_console.c - what progress bars need from the system: a clock and the width of the terminal. */
#define _DEFAULT_SOURCE
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "lua/object.h"

/* core.clock(): seconds since some moment, never running backwards. */
static int console_clock(lua_State *L)
{
    lua_pushnumber(L, wf_clock_seconds());
    return 1;
}

/* core.terminal_columns(): the width of the terminal that standard error is, or nil when it is none. */
static int console_terminal_columns(lua_State *L)
{
    struct winsize size;
    if (!isatty(STDERR_FILENO)) {
        return 0;
    }
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    lua_pushinteger(L, known ? size.ws_col : 80);
    return 1;
}

/* The module table weft.core is on top of the stack. */
void wf_lua_open_console(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"clock", console_clock}, {"terminal_columns", console_terminal_columns}, {NULL, NULL}};
    wf_lua_set_functions(L, functions);
}
