// Plain JavaScript for any Node: it has to run far enough to report that Node is too old.
const [major, minor] = process.versions.node.split('.').map(Number)

// Passwords are hashed by argon2, which node:crypto has since 24.7.
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `This service needs Node 24.7 or newer; this is ${process.version}. npm ci && npm start brings its own.`,
  )
  process.exit(1)
}

// Node's compiled TypeScript is cached: without the compiler a start is faster and takes 30 MB less. Threads find the
// cache by the environment. Without write access nothing is cached, and all else works.
const { enableCompileCache } = await import('node:module')
const { fileURLToPath } = await import('node:url')
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))
enableCompileCache(process.env.NODE_COMPILE_CACHE)

await import('../functions/local.ts')
