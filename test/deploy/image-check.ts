import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import * as path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Builds the image with what there is, runs it as somebody unknown on a disk that cannot be written to, and has it carry
 * out a task that searches: `npm run image:check`. Needs a network; PORT chooses where it listens, on loopback.
 */
const root = path.join(import.meta.dirname, '../..')
const tool = ['docker', 'podman'].find((name) => spawnSync(name, ['info']).status === 0)
const port = process.env.PORT ?? '3937'
const url = `http://127.0.0.1:${port}`
const name = `image-check-${randomUUID()}`

if (tool === undefined) {
  process.stdout.write(
    'SKIPPED: neither docker nor podman runs here, so the image was not built and nothing is known of it.\n',
  )
  process.exit(process.env.CI ? 1 : 0)
}

const run = (...args: string[]) => execFileSync(tool, args, { cwd: root, encoding: 'utf8' })
const hardened = [
  '--read-only',
  '--tmpfs',
  '/tmp',
  // A file system in memory at /data would have the rights of that folder in the image, which only its own user may write to.
  '-e',
  'DATA_DIR=/tmp/data',
  '--cap-drop',
  'all',
  '--user',
  '993:990',
]

const fetchTask = async (id: string) => {
  const { task } = (await (await fetch(`${url}/api/tasks/${id}`)).json()) as {
    task: { status: string; result?: { output: string } }
  }
  return task
}

try {
  // podman would keep the stages of the build as images without a name.
  const layers = tool === 'podman' ? ['--layers=false'] : []
  run('build', ...layers, '-f', 'functions/agentic/Dockerfile', '-t', name, '.')
  run('run', '-d', '--name', name, '--network', 'host', '-e', `PORT=${port}`, ...hardened, name)
  for (let tries = 0; tries < 300; tries += 1) {
    if ((await fetch(`${url}/api/health/ready`).catch(() => undefined))?.ok) break
    await sleep(100)
  }
  const page = await fetch(url, { headers: { accept: 'text/html' } })
  if (page.status !== 200) throw new Error(`The page was answered ${page.status}`)
  const prompt =
    'demo: tool write_file {"path":"a","content":"needle"}\ndemo: tool search_files {"query":"needle"}'
  const created = await fetch(`${url}/api/tasks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Search', prompt }),
  })
  const { task } = (await created.json()) as { task: { id: string } }
  const isOver = async () => ['completed', 'failed'].includes((await fetchTask(task.id)).status)
  for (let tries = 0; tries < 300 && !(await isOver()); tries += 1) await sleep(100)
  const output = (await fetchTask(task.id)).result?.output ?? ''
  if (!output.includes('a:1:needle')) throw new Error(`The search found nothing: ${output}`)
  run('stop', name)
  const code = run('inspect', name, '--format', '{{.State.ExitCode}}').trim()
  if (code !== '0') throw new Error(`It ended with ${code}`)
  process.stdout.write(`${tool}: built, run, page served, searched, stopped with 0\n`)
} finally {
  spawnSync(tool, ['rm', '-f', name])
  spawnSync(tool, ['rmi', '-f', name])
}
