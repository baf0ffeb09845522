// Plain JavaScript that any Node can read: it must get as far as saying that a newer Node is needed.
const major = Number(process.versions.node.split('.')[0])

if (major < 24) {
  console.error(
    `This service needs Node 24 or newer; this is ${process.version}. npm ci && npm start brings its own.`,
  )
  process.exit(1)
}

await import('../functions/local.ts')
