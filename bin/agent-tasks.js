#!/usr/bin/env node
// Plain JavaScript that any Node can read. The sources are TypeScript, which Node 24 runs as it is: where the Node that
// was found is older, the one that npm ci installed takes over.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const LEAST = 24
const own = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))

const run = async () => {
  // Later starts need not compile the sources again.
  const { enableCompileCache } = await import('node:module')
  const cache = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))
  enableCompileCache(process.env.NODE_COMPILE_CACHE ?? cache)
  const { main } = await import('../lib/cli/main.ts')
  const { argv, env, stdin, stdout, stderr } = process
  // A reader that has seen enough, such as head, is no fault.
  stdout.on('error', ({ code }) => process.exit(code === 'EPIPE' ? 0 : 1))
  process.exitCode = await main({ args: argv.slice(2), env, streams: { stdin, stdout, stderr } })
}

const handOver = () => {
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(own, args, { stdio: 'inherit' })
  // What the signal means is for the child to decide. A terminal sends it both, and twice is the same as once.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.on('close', (code) => {
    process.exitCode = code ?? 1
  })
}

if (Number(process.versions.node.split('.')[0]) >= LEAST) await run()
else if (existsSync(own)) handOver()
else {
  console.error(
    `agent-tasks needs Node ${LEAST}; this is ${process.version}. npm ci in its folder brings one.`,
  )
  process.exitCode = 64
}
