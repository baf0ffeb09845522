import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  type ControlGroups,
  createControlGroups,
  findControlGroups,
} from '../../lib/adapters/node/control-groups.ts'
import { processUids } from '../../lib/adapters/node/user-processes.ts'
import { createWorkbench, limits, never } from '../fakes/workbench.ts'
import { temporaryFolder } from '../journeys/service.ts'

const within = { memoryMb: 200, processes: 64 }

describe('a control group of a command', () => {
  const folder = temporaryFolder()
  afterAll(() => folder[Symbol.dispose]())
  let opened = 0
  /** What the system shows of a group, in a folder that stands for one. */
  const open = (files: Record<string, string>) => {
    opened += 1
    const delegated = folder.in(`group-${opened}`)
    mkdirSync(delegated)
    const group = createControlGroups(delegated, within).create()
    const [name = ''] = readdirSync(delegated)
    for (const [file, text] of Object.entries(files)) writeFileSync(join(delegated, name, file), text)
    return { group, place: join(delegated, name) }
  }

  it('has the limits of a command', () => {
    const { place } = open({})
    const values = ['memory.max', 'memory.oom.group', 'pids.max'].map((file) =>
      readFileSync(join(place, file), 'utf8'),
    )
    expect(values).toEqual(['209715200', '1', '64'])
  })

  it.each<[string, Record<string, string>, string | undefined]>([
    [
      'nothing was ended',
      { 'memory.events': 'low 0\nmax 7\noom 3\noom_kill 0\n', 'pids.events': 'max 0\n' },
      undefined,
    ],
    ['memory ran out', { 'memory.events': 'max 7\noom 1\noom_kill 2\noom_group_kill 1\n' }, 'memory'],
    ['a process was refused', { 'memory.events': 'oom_kill 0\n', 'pids.events': 'max 1\n' }, 'processes'],
    ['it is gone', {}, undefined],
  ])('tells the limit that was reached: %s', (_title, files, limit) => {
    expect(open(files).group.exceeded()).toBe(limit)
  })
})

describe('commands in control groups of this system', () => {
  let groups: ControlGroups | undefined
  beforeAll(async () => {
    const found = await findControlGroups({ ...limits, ...within })
    if ('groups' in found) groups = found.groups
    else console.error(`SKIPPED: ${found.cause}`)
  })

  it.each<[string, string, string]>([
    ['memory', 'node', 'const held = []; for (;;) held.push(Buffer.alloc(2 ** 20, 1))'],
    [
      'memory',
      'perl',
      'my @held; for my $name (1..90) { open(my $file, ">&=", syscall(319, "$name", 0)) or die; syswrite($file, "x" x 2**20) or die for (1..4); push @held, $file } sleep 30',
    ],
    ['processes', 'sh', 'while :; do (setsid sleep 60 &); done'],
  ])('are stopped beyond their %s by the system (%s)', async (limit, file, script) => {
    if (groups === undefined) return
    await using bench = await createWorkbench({
      uids: { first: 60_660, last: 60_669 },
      limits: within,
      groups,
    })
    if ('cause' in bench.found) return console.error(`SKIPPED: ${bench.found.cause}`)
    const workspace = await bench.workspaces.create('one')
    const { exceeded, exitCode } = await workspace.run(
      file,
      [file === 'node' ? '--eval' : file === 'sh' ? '-c' : '-e', script],
      never,
    )
    expect({ exitCode, limit: exceeded?.limit }).toEqual({ exitCode: null, limit })
    expect(readdirSync('/proc').filter((name) => processUids(name).includes(60_661))).toEqual([])
  })
})
