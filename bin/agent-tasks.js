#!/usr/bin/env node
// Plain JavaScript for any Node. The sources are TypeScript, which Node 24 runs; an older Node starts the one that npm ci
// installed.
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
  // A reader that stops early, such as head, is no error.
  stdout.on('error', ({ code }) => process.exit(code === 'EPIPE' ? 0 : 1))
  // A runner ends as the service does: what an agent has left open does not keep its process.
  const startRunner = async (settings) =>
    process.exit(await (await import('./runner.ts')).startRunner(settings))
  const startService = async (settings) => (await import('./service-process.js')).startService(settings)
  const streams = { stdin, stdout, stderr }
  process.exitCode = await main({ args: argv.slice(2), env, streams, startRunner, startService })
}

const handOver = () => {
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(own, args, { stdio: 'inherit' })
  // The child handles the signal. A terminal sends it to both processes, and a second signal changes nothing.
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
