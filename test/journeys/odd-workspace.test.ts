import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import { connect } from './client.ts'
import { isOffline, startService, temporaryFolder } from './service.ts'

if (isOffline) process.stderr.write('SKIPPED: functions run no programs of agents\n')
const withPrograms = isOffline ? it.skip : it

/** Leaves odd files in its folder, and takes git apart. */
const program = `
import os, shutil, subprocess
subprocess.run(["git", "init", "-q", "sub"], check=True)
open("locked", "w").write("x")
os.chmod("locked", 0)
os.mkfifo(".gitignore")
os.mkdir("git~1")
open("git~1/config", "w").write("x")
open(b"caf\\xe9", "w").write("x")
shutil.rmtree(".git")
`

/** The demo model calls a tool for each of these lines. */
const prompt = [
  ['write_file', { path: 'odd.py', content: program }],
  ['run_command', { command: 'python3', args: ['odd.py'] }],
  ['edit_file', { path: 'crlf.txt', oldText: 'one\ntwo\n', newText: 'one\n2\n' }],
]
  .map(([name, input]) => `demo: tool ${name} ${JSON.stringify(input)}`)
  .concat('demo: say done')
  .join('\n')

describe('a task of a repository whose default branch is called agent', () => {
  withPrograms('is completed by its first attempt, whatever odd files its agent leaves', async () => {
    using folder = temporaryFolder()
    const repository = folder.in('source')
    await mkdir(repository)
    const script = `git init -q -b agent .; printf 'one\\r\\ntwo\\r\\n' > crlf.txt; git add -A
      git -c user.name=x -c user.email=x@y commit -q -m Start`
    await promisify(execFile)('sh', ['-ec', script], { cwd: repository })
    await using service = await startService({ env: { DATA_DIR: folder.in('data') } })
    const { create, untilTask } = connect(service.baseUrl)
    const { id } = await create({ title: 'Odd', prompt, repository })
    const task = await untilTask(id, 'completed', 'failed')
    expect(task).toMatchObject({ status: 'completed', attempts: 1 })
    expect(task.result).toMatchObject({ branch: `agent-${id}` })
    const { filesChanged, leftOut, diff } = task.result as Record<string, unknown>
    expect((filesChanged as { path: string }[]).map(({ path }) => path)).toEqual([
      'caf\uFFFD',
      'crlf.txt',
      'odd.py',
    ])
    expect(diff).toContain('-two\r\n+2\r\n')
    const isRoot = process.getuid?.() === 0
    expect(leftOut).toEqual([
      { path: '.gitignore', reason: 'special' },
      { path: 'git~1/config', reason: 'name' },
      // Without a sandbox, programs of root may read all.
      ...(isRoot && service.output().includes('Sandbox: not available')
        ? []
        : [{ path: 'locked', reason: 'unreadable' }]),
      { path: 'sub', reason: 'repository' },
    ])
  })
})
