import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from '@jest/globals'
import { endLeftSandboxes } from '../../lib/adapters/node/left-sandboxes.ts'
import { until } from '../fakes/until.ts'
import { createWorkbench } from '../fakes/workbench.ts'

const WAIT = "process.stdout.write('up'); setInterval(() => undefined, 1_000)"

/** A process of that name, which binds a folder. */
const start = async (name: string, folder: string) => {
  const child = spawn(process.execPath, ['--eval', WAIT, '--', '--bind', folder], {
    argv0: name,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

it('A sandbox that a killed service left in its workspaces is ended, and no other process', async () => {
  await using bench = await createWorkbench()
  await bench.workspaces.create('task_1-1')
  const left = await start('bwrap', `${bench.dir}/task_1-1/work`)
  const others = [await start('bwrap', `${bench.dir}-other/task_1-1`), await start('sh', `${bench.dir}/x`)]
  try {
    await endLeftSandboxes(bench.dir)
    await until(() => left.signalCode === 'SIGKILL')
    expect(others.map(({ exitCode, signalCode }) => exitCode ?? signalCode)).toEqual([null, null])
  } finally {
    for (const child of [left, ...others]) child.kill('SIGKILL')
  }
})
