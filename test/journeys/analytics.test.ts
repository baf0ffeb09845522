import { describe, expect, it } from '@jest/globals'
import { apiError, connect } from './client.ts'
import { moodyTask } from './moody.ts'
import { openService } from './opened-service.ts'

describe('the analytics of a window', () => {
  it('show what a service did, in the zone of the caller, and refuse what is no window or zone', async () => {
    await using service = await openService({ QUEUE_RETRY_ATTEMPTS: '1' })
    const { client, perform } = connect(service.baseUrl)
    const ended = [
      await perform(moodyTask('one')),
      await perform(moodyTask('two')),
      await perform(moodyTask('failed', { failures: 1 })),
    ]
    expect(ended.map(({ status }) => status)).toEqual(['completed', 'completed', 'failed'])

    for (const window of ['1h', '24h', '7d'] as const) {
      const { recent } = await client.taskAnalytics({ query: { window, timezone: 'Asia/Kathmandu' } })
      const sum = (of: 'created' | 'started' | 'completed' | 'failed' | 'cancelled') =>
        recent?.buckets.reduce((all, bucket) => all + bucket[of], 0)
      expect([sum('created'), sum('started'), sum('completed'), sum('failed'), sum('cancelled')]).toEqual([
        ...[3, 3, 2, 1, 0],
      ])
      expect(recent).toMatchObject({ window, wait: { count: 3 }, run: { count: 2 } })
      expect(recent?.byAgent[ended[0]?.agent ?? '']).toMatchObject({ completed: 2, failed: 1 })
    }
    for (const [query, path] of [
      [{ window: '2h' as '1h' }, 'window'],
      [{ timezone: 'Mars/Olympus' }, 'timezone'],
    ] as const) {
      const { status, details } = await apiError(client.taskAnalytics({ query }))
      expect([status, details]).toEqual([400, [{ path, message: expect.any(String) }]])
    }
  })
})
