import { describe, expect, it } from '@jest/globals'
import { LONGEST_WAIT_MS, waitingAtMost } from '../../lib/app/cloud-groups.ts'
import { openAccepting } from '../../lib/app/cloud-ports.ts'
import { readConfig } from '../../lib/config/config.ts'

describe('a function that takes requests to the gateway', () => {
  it.each([
    [840_000, LONGEST_WAIT_MS.function],
    [1_000, 1_000],
  ])('has a request that asks for %d ms wait for %d', async (asked, waited) => {
    const waits: unknown[] = []
    const gateway = {
      waitFor: async (...wait: unknown[]) => {
        waits.push(wait)
        return undefined
      },
    }
    const { signal } = new AbortController()
    await waitingAtMost(LONGEST_WAIT_MS.function, gateway).waitFor('task_1', asked, signal)
    expect(waits).toEqual([['task_1', waited, signal]])
  })

  it('checks the URL of a notification, and sends none', async () => {
    const { outbound } = openAccepting(readConfig({ SERVICE_MODE: 'pro' }))
    await expect(outbound.check('http://169.254.169.254/')).rejects.toMatchObject({ code: 'url_refused' })
    await expect(outbound.check('https://192.0.2.1@8.8.8.8/')).rejects.toMatchObject({ code: 'url_refused' })
    await outbound.check('https://8.8.8.8/')
    await expect(outbound.send({ method: 'GET', url: 'https://8.8.8.8/' })).rejects.toThrow('sends nothing')
  })
})
