import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from '@jest/globals'
import { spawnBound } from '../../offline/bound-process.ts'
import { until } from '../journeys/api.ts'
import { root } from '../journeys/service.ts'
import { isRunning, processTree } from './processes.ts'

const PROGRAM = `import { spawnBound } from './offline/bound-process.ts'
spawnBound('sleep', ['600'])
setInterval(() => undefined, 1_000)`

const allGone = (pids: readonly number[]) => until(() => !pids.some(isRunning) || undefined)

describe('a bound process', () => {
  it('dies with the process that started it, however that dies', async () => {
    const parent = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], { cwd: root })
    const family = () => processTree(parent.pid ?? 0)
    // The parent, the program, and who waits for the end of the parent.
    await until(() => family().length === 3 || undefined)
    const pids = family()
    parent.kill('SIGKILL')
    await allGone(pids)
    expect(pids.filter(isRunning)).toEqual([])
  })

  it('leaves no process behind when it is stopped, or ends by itself', async () => {
    const stopped = spawnBound('sleep', ['600'])
    const pids = processTree(stopped.child.pid ?? 0)
    await stopped.stop()
    await stopped.stop()
    const short = spawnBound('sleep', ['0.2'])
    pids.push(...processTree(short.child.pid ?? 0))
    const [code] = await once(short.child, 'exit')
    expect(code).toBe(0)
    await allGone(pids)
    expect(pids.filter(isRunning)).toEqual([])
  })
})
