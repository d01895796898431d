std = "max"
max_line_length = 120
files["spec"] = { std = "+busted" }
include_files = { "lua", "spec/**/*.lua", "examples/**/*.lua", "bench/*.lua", "*.lua" }
