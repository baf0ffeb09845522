// Plain JavaScript that any Node can read: it must get as far as saying that a newer Node is needed.
const [major, minor] = process.versions.node.split('.').map(Number)

// node:crypto has argon2, by which passwords are hashed, since 24.7.
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `This service needs Node 24.7 or newer; this is ${process.version}. npm ci && npm start brings its own.`,
  )
  process.exit(1)
}

await import('../functions/local.ts')
