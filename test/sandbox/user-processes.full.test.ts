import { tmpdir } from 'node:os'
import { expect, it } from '@jest/globals'
import { createWorkbench, never } from '../fakes/workbench.ts'
import { asRoot, FIRST, openBench, running, shell, uidIn } from './user-programs.ts'

asRoot('a program that runs as a user of its own', () => {
  it.each<[string, string]>([
    ['left its group', '(setsid sleep 60 >/dev/null 2>&1 &)'],
    [
      'was forked twice and ignores signals',
      '(setsid sh -c \'trap "" TERM HUP INT; (sleep 60 &) ; sleep 60\' >/dev/null 2>&1 &)',
    ],
    [
      'starts others all the time',
      "(setsid sh -c 'while :; do (setsid sleep 60 &); sleep 0.01; done' >/dev/null 2>&1 &)",
    ],
    ['ends all processes of its user', "(setsid sh -c 'while :; do kill -9 -1; done' >/dev/null 2>&1 &)"],
  ])('leaves no process behind that %s', async (_what, script) => {
    await using bench = await openBench()
    const workspace = await bench.workspaces.create('one')
    await shell(workspace, `${script}; sleep 0.2`)
    expect(running(FIRST + 1)).toEqual([])
    // The user can still be used.
    expect(await uidIn(workspace)).toBe(FIRST + 1)
  })

  it('is stopped for what its daemons use, too', async () => {
    await using bench = await openBench(FIRST + 2, { limits: { processes: 20 } })
    const workspace = await bench.workspaces.create('one')
    const script = 'while :; do (setsid sleep 60 &); sleep 0.02; done'
    const { exceeded } = await workspace.run('sh', ['-c', script], never)
    expect(exceeded?.limit).toBe('processes')
    expect(running(FIRST + 1)).toEqual([])
  })
})

asRoot('a program that hands on to a child and ends, all the time', () => {
  it('is ended with all that it has handed on to', async () => {
    // A user that no other test has: what is left for the system to reap counts as its processes for a while.
    const uid = FIRST + 50
    await using bench = await createWorkbench({
      sharedFolders: [tmpdir()],
      uids: { first: uid - 1, last: uid },
    })
    const workspace = await bench.workspaces.create('one')
    expect(await uidIn(workspace)).toBe(uid)
    await shell(workspace, "(setsid sh -c 'f() { f & exit; }; f' >/dev/null 2>&1 &); sleep 0.1")
    // One look does not see a process that ends before it is read.
    expect(Array.from({ length: 20 }, () => running(uid)).flat()).toEqual([])
  })
})
