import { describe, expect, it } from '@jest/globals'
import { startGateway } from './gateway.ts'

describe('a signing secret', () => {
  it('is no part of what is kept of a request to know it again: not even a hash of it lies about', async () => {
    await using gateway = await startGateway({ background: false })
    const key = { 'idempotency-key': 'once' }
    const bodyWith = (secret: object) => ({
      task: { title: 'Once' },
      options: { notifyUrl: 'http://127.0.0.1:9/hook', ...secret },
    })
    const { body: first } = await gateway.submit(bodyWith({ notifySecret: 'the first secret' }), key)
    for (const secret of [{ notifySecret: 'another secret' }, {}])
      expect(await gateway.submit(bodyWith(secret), key)).toMatchObject({
        status: 202,
        headers: { 'idempotent-replayed': 'true' },
        body: { taskId: first.taskId },
      })
  })
})
