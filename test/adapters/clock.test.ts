import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createFakeClock } from '../fakes/clock.ts'

describe('the clock of the machine', () => {
  afterEach(() => void jest.useRealTimers())

  it('calls back once, and not after it was cancelled', async () => {
    jest.useFakeTimers()
    const heard: string[] = []
    const clock = createClock()
    clock.after(10, () => heard.push('kept'))
    clock.after(10, () => heard.push('cancelled'))()
    jest.advanceTimersByTime(100)
    expect(heard).toEqual(['kept'])
  })

  it('keeps delays that no timer of the system can hold', () => {
    jest.useFakeTimers()
    const clock = createClock()
    const daysMs = 60 * 86_400_000
    let rung = 0
    clock.after(daysMs, () => (rung += 1))
    const cancel = clock.after(daysMs, () => (rung += 100))
    jest.advanceTimersByTime(daysMs - 1)
    expect(rung).toBe(0)
    cancel()
    jest.advanceTimersByTime(1)
    expect(rung).toBe(1)
  })
})

describe('a pending timer', () => {
  it('does not keep the process alive', async () => {
    const clock = new URL('../../lib/adapters/node/clock.ts', import.meta.url)
    const program = `import { createClock } from '${clock}'; createClock().after(3_600_000, () => {})`
    const ended = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      timeout: 20_000,
    })
    await expect(ended).resolves.toMatchObject({ stdout: '' })
  })
})

describe('the fake clock', () => {
  it('fires timers in the order of their moments, each at its own, those they set included', () => {
    const clock = createFakeClock(1_000)
    const heard: [string, number][] = []
    clock.after(20, () => heard.push(['second', clock.now()]))
    clock.after(10, () => {
      heard.push(['first', clock.now()])
      clock.after(5, () => heard.push(['set meanwhile', clock.now()]))
    })
    clock.after(15, () => heard.push(['cancelled', clock.now()]))()
    clock.advance(19)
    expect(heard).toEqual([
      ['first', 1_010],
      ['set meanwhile', 1_015],
    ])
    expect([clock.now(), clock.monotonic(), clock.pending]).toEqual([1_019, 19, 1])
    clock.advance(1)
    expect(heard[2]).toEqual(['second', 1_020])
  })

  it('lets the wall clock be set without moving anything else', () => {
    const clock = createFakeClock(1_000)
    clock.advance(5)
    clock.setWall(10)
    expect([clock.now(), clock.monotonic()]).toEqual([10, 5])
  })
})
