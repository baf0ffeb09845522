import { describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import { retry } from '../../lib/core/retry.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { turns } from '../fakes/service.ts'

const unavailable = () => new Problem('unavailable', 'storage_unavailable', 'not now')

describe('retry', () => {
  const calls = async (thrown: unknown, succeedAt = Number.POSITIVE_INFINITY) => {
    const clock = createFakeClock()
    let made = 0
    const outcome = retry(async () => {
      if (++made < succeedAt) throw thrown
      return 'written'
    }, clock).catch((error) => error)
    for (let turn = 0; turn < 10; turn++) {
      await turns(1)
      clock.advance(1_000)
    }
    return { made, outcome: await outcome }
  }

  it('repeats what the medium refused three times at most', async () => {
    const thrown = unavailable()
    expect(await calls(thrown)).toEqual({ made: 4, outcome: thrown })
    expect(await calls(thrown, 4)).toEqual({ made: 4, outcome: 'written' })
  })

  it.each([new Error('a bug'), new Problem('invalid', 'x', 'x')])(
    'does not repeat after %s',
    async (thrown) => {
      expect(await calls(thrown)).toEqual({ made: 1, outcome: thrown })
    },
  )
})
