// Plain JavaScript that any Node can read: it must get as far as saying that a newer Node is needed.
const [major, minor] = process.versions.node.split('.').map(Number)

// node:crypto has argon2, by which passwords are hashed, since 24.7.
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `This service needs Node 24.7 or newer; this is ${process.version}. npm ci && npm start brings its own.`,
  )
  process.exit(1)
}

// What Node makes of TypeScript is kept: without its compiler a start is sooner ready and takes 30 MB less. Threads find
// the place in the environment. Where it cannot be written to, nothing is kept and all else is the same.
const { enableCompileCache } = await import('node:module')
const { fileURLToPath } = await import('node:url')
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))
enableCompileCache(process.env.NODE_COMPILE_CACHE)

await import('../functions/local.ts')
