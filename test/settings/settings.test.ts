import { describe, expect, it } from '@jest/globals'
import { createCaller } from '../fakes/caller.ts'
import { startDomains } from '../fakes/service.ts'

const started = async (env: Record<string, string> = {}) => {
  const service = await startDomains({ env })
  const call = createCaller(service)
  const read = async () => (await call('GET /api/settings')).body
  const change = (body: object) => call('PATCH /api/settings', { body })
  return { service, call, read, change }
}

describe('settings', () => {
  it('are what the service was started with, and say where each is from', async () => {
    const { read } = await started({ QUEUE_RETRY_ATTEMPTS: '7' })
    expect(await read()).toEqual({
      settings: {
        system: { authMode: 'local', registrationMode: 'invite' },
        queue: {
          name: 'ai-tasks',
          notificationName: 'ai-task-notifications',
          concurrency: 10,
          notificationConcurrency: 5,
        },
        concurrency: { perAgent: 0, perRepository: 0, perUser: 0 },
        retry: { attempts: 7, backoff: 1_000, type: 'exponential' },
        budget: { monthlyUsd: 0, userMonthlyUsd: 0, unknown: 'warn' },
        tasks: { securityMode: 'full' },
        memory: { recordExperiences: false },
        webhooks: {
          cancelClosed: true,
          retryDelaysMs: [30_000, 300_000, 1_800_000, 7_200_000, 43_200_000],
        },
        reporting: { comments: true, pullRequests: true },
      },
      sources: expect.objectContaining({
        'retry.attempts': 'environment',
        'retry.backoff': 'default',
        'system.authMode': 'default',
      }),
    })
  })

  it('change for all who ask, and back with null', async () => {
    const { read, change, service } = await started()
    const changed = await change({ retry: { attempts: 5, type: 'fixed' }, queue: { concurrency: 3 } })
    expect(changed).toMatchObject({ status: 200, body: { message: expect.any(String) } })
    expect(changed.body.settings.retry).toEqual({ attempts: 5, backoff: 1_000, type: 'fixed' })
    expect(service.settings.current().queue.concurrency).toBe(3)
    expect((await read()).sources).toMatchObject({
      'retry.attempts': 'stored',
      'queue.concurrency': 'stored',
    })
    const back = await change({ retry: { attempts: null } })
    expect(back.body.settings.retry).toEqual({ attempts: 3, backoff: 1_000, type: 'fixed' })
    expect(back.body.sources['retry.attempts']).toBe('default')
  })

  it('are passed to listeners at each change', async () => {
    const { change, service } = await started()
    const heard: number[] = []
    service.settings.onRead(({ queue }) => heard.push(queue.concurrency))
    await change({ queue: { concurrency: 4 } })
    expect(heard.at(-1)).toBe(4)
  })

  it('that the environment decides are refused, by the name of the variable, and nothing changes', async () => {
    const { read, change } = await started({ QUEUE_RETRY_ATTEMPTS: '7' })
    const { status, body } = await change({ retry: { attempts: 2, backoff: 5 } })
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({
        code: 'setting_not_changeable',
        details: [{ path: 'retry.attempts', message: expect.stringMatching(/QUEUE_RETRY_ATTEMPTS/) }],
      }),
    ])
    expect((await read()).settings.retry).toMatchObject({ attempts: 7, backoff: 1_000 })
  })

  it.each([
    [{ retry: { attempts: 0 } }],
    [{ retry: { attempts: 1.5 } }],
    [{ retry: { attempts: '3' } }],
    [{ retry: { type: 'linear' } }],
    [{ tasks: { securityMode: 'open' } }],
    [{ queue: { concurrency: 1_001 } }],
    [{ system: { authMode: 'none' } }],
    [{ webhooks: { retryDelaysMs: [1, 2, 3] } }],
    [{ queue: { name: 'another' } }],
    [{ system: { authMode: 'oidc' } }],
    [[]],
  ])('do not become %j', async (body) => {
    const { read, change } = await started()
    const before = await read()
    expect((await change(body)).status).toBe(400)
    expect(await read()).toEqual(before)
  })

  it('drop what they do not know', async () => {
    const { change } = await started()
    const { status, body } = await change({ retry: { attempts: 4, patience: 9 }, moods: { today: 'good' } })
    const { warnings, ...answer } = body as { message: string; warnings?: { path: string }[] }
    expect([status, answer.message]).toEqual([200, 'Settings changed'])
    expect(JSON.stringify(answer)).not.toMatch(/patience|moods/)
    expect(warnings?.map(({ path }) => path)).toEqual(['retry.patience', 'moods'])
  })

  it.each([
    [{}, undefined],
    [{ retry: {} }, undefined],
    [{ retry: { atempts: 9 } }, 'retry.atempts'],
    [{ retries: { attempts: 9 } }, 'retries'],
  ])('say that nothing was changed by %j', async (patch, unknown) => {
    const { change, read } = await started()
    const before = await read()
    const { status, body } = await change(patch)
    const { warnings = [], ...answer } = body as { warnings?: { path: string }[] }
    expect([status, answer]).toEqual([200, { message: 'Nothing to change', ...before }])
    expect(warnings[0]?.path).toBe(unknown)
  })

  it('keep all of what several admins change at once', async () => {
    const { read, change } = await started()
    const changes = [
      { retry: { attempts: 9 } },
      { retry: { backoff: 9 } },
      { queue: { concurrency: 9 } },
      { queue: { notificationConcurrency: 9 } },
    ]
    const answers = await Promise.all(changes.map(change))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await read()).settings).toMatchObject({
      retry: { attempts: 9, backoff: 9 },
      queue: { concurrency: 9, notificationConcurrency: 9 },
    })
  })

  it('go on record with who changed what; nothing changed is nothing on record', async () => {
    const { change, call } = await started()
    await change({})
    await change({ retry: { attempts: 4, backoff: null } })
    const { records } = (await call('GET /api/audit')).body
    expect(records).toMatchObject([
      {
        userId: 'user_ann',
        action: 'settings.change',
        details: { 'retry.attempts': 4, 'retry.backoff': null },
      },
    ])
  })

  it('cannot be taken back to a sign-in that no account could use', async () => {
    // On an address that others reach, local mode needs a key.
    const { change, read } = await started({ HOST: '0.0.0.0' })
    expect((await change({ system: { authMode: 'cloud' } })).status).toBe(200)
    for (const authMode of ['local', null]) {
      const { status, body } = await change({ system: { authMode } })
      expect([status, body.error]).toEqual([400, expect.stringMatching(/access key/)])
    }
    expect((await read()).settings.system.authMode).toBe('cloud')
  })
})
