import { execFile } from 'node:child_process'
import { access, mkdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import { sweepWorkspaces } from '../../lib/adapters/node/workspace-sweep.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createWorkbench } from '../fakes/workbench.ts'

const HOUR_MS = 3_600_000

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

describe('workspaces', () => {
  it('are made anew by create and kept by open', async () => {
    await using bench = await createWorkbench()
    const first = await bench.workspaces.create('task_1-1')
    await first.write('a.txt', 'a')
    const again = await bench.workspaces.open('task_1-1')
    expect(await again.read('a.txt', 10)).toMatchObject({ text: 'a' })
    const anew = await bench.workspaces.create('task_1-1')
    await expect(anew.read('a.txt', 10)).rejects.toMatchObject({ code: 'path_missing' })
  })

  it.each(['', '.', '..', 'a/b', '../a', '-rf', 'a\0', 'a'.repeat(200)])('are not named %j', async (name) => {
    await using bench = await createWorkbench()
    await expect(bench.workspaces.create(name)).rejects.toMatchObject({ code: 'workspace_name_invalid' })
  })
})

describe('sweepWorkspaces', () => {
  it('removes what was last opened before the time to live, and follows no link', async () => {
    await using bench = await createWorkbench()
    const clock = createFakeClock()
    const aged = async (name: string, hours: number) => {
      const at = (clock.now() - hours * HOUR_MS) / 1_000
      await utimes(join(bench.dir, name), at, at)
    }
    await bench.workspaces.create('old')
    await bench.workspaces.create('young')
    const precious = join(bench.folder, 'precious')
    await mkdir(precious)
    await writeFile(join(precious, 'file.txt'), '')
    await symlink(precious, join(bench.dir, 'link'))
    await symlink(precious, join(bench.dir, 'old', 'work', 'link'))
    await aged('old', 25)
    await aged('young', 23)
    const at = new Date(0)
    await utimes(precious, at, at)
    expect(await sweepWorkspaces(bench.dir, 24, clock)).toBe(1)
    expect(await isThere(join(bench.dir, 'old'))).toBe(false)
    expect(await isThere(join(bench.dir, 'young'))).toBe(true)
    expect(await isThere(join(precious, 'file.txt'))).toBe(true)
  })

  it('finds nothing where there is no folder yet', async () => {
    await using bench = await createWorkbench()
    expect(await sweepWorkspaces(join(bench.folder, 'none'), 24, createFakeClock())).toBe(0)
  })

  it('removes folders that are deeper than a path is long, or that a program took its own rights from', async () => {
    const script = `
      import { sweepWorkspaces } from './lib/adapters/node/workspace-sweep.ts'
      import { createFakeClock } from './test/fakes/clock.ts'
      import { createWorkbench, never } from './test/fakes/workbench.ts'
      await using bench = await createWorkbench()
      const { run } = await bench.workspaces.create('locked')
      await run('sh', ['-c', 'mkdir -p a/b && touch a/b/c && chmod 0 a/b && chmod 0 a'], never)
      const deep = "for (let n = 0; n < 3000; n++) { fs.mkdirSync('deeper'); process.chdir('deeper') }"
      await run('node', ['-e', deep], never)
      console.log(await sweepWorkspaces(bench.dir, 0, { ...createFakeClock(), now: () => Date.now() + 1_000 }))`
    // Rights mean nothing to root.
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', script],
      user,
    )
    expect(stdout).toBe('1\n')
  })
})
