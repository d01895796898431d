rockspec_format = "3.0"
package = "weft"
version = "scm-1"
source = {
  url = "git+file://.",
}
description = {
  summary = "Cloth and garments: a C simulator with Lua scenes",
  detailed = [[
weft sews garments from pattern files, drapes them on bodies and steps them in
time. Scenes are Lua scripts; the physics is C.]],
  license = "MIT",
}
supported_platforms = { "linux" }
dependencies = {
  "lua >= 5.1, < 5.5",
}
build = {
  type = "make",
  build_variables = {
    CC = "$(CC)",
    LUA_INCDIR = "$(LUA_INCDIR)",
  },
  install_variables = {
    CC = "$(CC)",
    LUA_INCDIR = "$(LUA_INCDIR)",
    INST_LIBDIR = "$(LIBDIR)",
    INST_LUADIR = "$(LUADIR)",
  },
}
