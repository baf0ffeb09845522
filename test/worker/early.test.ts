import { describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import { claimInTime } from '../../lib/worker/early.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { pass } from '../fakes/service.ts'

const message = { taskId: 'task_1', attempt: 1 }
const early = () => new Problem('unavailable', 'task_not_queued_yet', 'not yet')

/** Claims a task that is not there for the first calls, and says how often it was tried. */
const claiming = async (fails: number, problem = early()) => {
  const clock = createFakeClock()
  let calls = 0
  const claim = async () => {
    calls += 1
    if (calls <= fails) throw problem
    return 'claimed'
  }
  const outcome = claimInTime(claim, clock)(message).catch(({ code }: Problem) => code)
  await pass(clock, 1_000)
  return { outcome: await outcome, calls }
}

describe('a message that is faster than its task', () => {
  it('finds it a moment later', async () => {
    expect(await claiming(2)).toEqual({ outcome: 'claimed', calls: 3 })
  })

  it('goes back to its queue when the task does not come', async () => {
    expect(await claiming(99)).toEqual({ outcome: 'task_not_queued_yet', calls: 5 })
  })

  it('is not tried again for any other reason', async () => {
    const down = new Problem('unavailable', 'storage_unavailable', 'down')
    expect(await claiming(99, down)).toEqual({ outcome: 'storage_unavailable', calls: 1 })
  })
})
