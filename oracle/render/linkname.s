// An assembly file, though empty, lets the compiler accept the function without a body in resolve.go.
