import { describe, expect, it } from '@jest/globals'
import { type StartedDomains, startDomains } from '../fakes/service.ts'

const HOUR_MS = 3_600_000
const ADMIN = { userId: 'user_root', role: 'admin' } as const
const SHARED = { userId: 'installation', role: 'admin', tokenId: 'tok_shared' } as const

const started = async () => {
  const service = await startDomains({ env: { RUNNER_TOKEN: `${'f3'.repeat(8)}0123456789abcdef` } })
  const { registry } = service.runners
  const register = (name: string, principal: { userId: string; tokenId: string } = SHARED) =>
    registry.register(
      { role: 'admin', ...principal },
      {
        ...{ name, version: '1', protocol: 1, labels: [], agents: [{ type: 'test-agent' }] },
        ...{ concurrency: 1, isolation: 'none' },
      },
    )
  /** A token of one runner. */
  const makeToken = async () => {
    const { id: tokenId } = await service.tokens.create(ADMIN, { name: 'of a runner', scopes: ['runner'] })
    return { userId: ADMIN.userId, tokenId }
  }
  const states = async () =>
    Object.fromEntries((await registry.list()).runners.map(({ name, status }) => [name, status]))
  return { service, registry, register, makeToken, states }
}

const poll = ({ runners }: Pick<StartedDomains, 'runners'>, id: string) =>
  runners.claims.poll(
    SHARED,
    id,
    { most: 1, waitMs: 0, takes: true, running: [] },
    new AbortController().signal,
  )

describe('a removed runner whose token others have too', () => {
  it('is shown as removed, offers nothing, and is refused until an admin allows it again', async () => {
    const { service, registry, register, states } = await started()
    await using _ = service
    const [{ runner }] = [await register('one'), await register('two')]
    await registry.remove(ADMIN, runner.id)
    // A repeat, as by a second click, changes nothing.
    await registry.remove(ADMIN, runner.id)
    expect(await states()).toEqual({ one: 'removed', two: 'online' })
    expect((await registry.all()).map(({ name }) => name)).toEqual(['two'])
    expect((await registry.takers()).map(({ name }) => name)).toEqual(['two'])
    await expect(poll(service, runner.id)).rejects.toMatchObject({ code: 'runner_not_found' })
    for (let time = 0; time < 2; time += 1)
      await expect(register('one')).rejects.toMatchObject({ kind: 'invalid', code: 'runner_removed' })

    await registry.drain(ADMIN, runner.id, false)
    expect((await register('one')).registration).toBe(2)
    expect(await states()).toEqual({ one: 'online', two: 'online' })
  })

  it('leaves its name to a runner with a token of its own', async () => {
    const { service, registry, register, makeToken, states } = await started()
    await using _ = service
    const { runner } = await register('one')
    const own = await makeToken()
    await expect(register('one', own)).rejects.toMatchObject({ code: 'runner_name_taken' })
    await registry.remove(ADMIN, runner.id)
    await register('one', own)
    expect(await states()).toEqual({ one: 'online' })
    await expect(register('one')).rejects.toMatchObject({ code: 'runner_name_taken' })
    // That of a token of its own is gone with it.
    await registry.remove(ADMIN, runner.id)
    expect(await states()).toEqual({})
  })

  it('is not let in by a registration at the same moment', async () => {
    const { service, registry, register, states } = await started()
    await using _ = service
    const { runner } = await register('one')
    await Promise.allSettled([register('one'), registry.remove(ADMIN, runner.id), register('one')])
    expect(await states()).toEqual({ one: 'removed' })
  })
})

describe('a runner that was not heard of for a day', () => {
  it('is forgotten, unless an admin lets it drain, or has removed it and it still tries', async () => {
    const { service, registry, register, makeToken, states } = await started()
    await using _ = service
    const own = await makeToken()
    const ids: Record<string, string> = {}
    for (const name of ['left', 'drained', 'removed', 'tries']) ids[name] = (await register(name)).runner.id
    ids.own = (await register('own', own)).runner.id
    await registry.drain(ADMIN, ids.drained ?? '', true)
    for (const name of ['removed', 'tries']) await registry.remove(ADMIN, ids[name] ?? '')
    service.clock.advance(23 * HOUR_MS)
    await register('alive')
    await register('tries').catch(() => undefined)
    await service.pass(60_000, 10_000)
    const before = { alive: 'offline', left: 'offline', own: 'offline', drained: 'offline' }
    expect(await states()).toEqual({ ...before, removed: 'removed', tries: 'removed' })
    const drained = (await registry.list()).runners.filter((one) => one.drained).map(({ name }) => name)
    expect(drained).toEqual(['drained'])
    await service.pass(HOUR_MS, 60_000)
    expect(await states()).toEqual({ alive: 'offline', drained: 'offline', tries: 'removed' })
    // Its token is valid, and it may come back.
    expect((await register('own', own)).registration).toBe(1)
  })

  it('is forgotten earlier where 200 were heard of since', async () => {
    const { service, registry, register, states } = await started()
    await using _ = service
    await register('the first')
    service.clock.advance(1_000)
    const { runner } = await register('kept')
    await registry.drain(ADMIN, runner.id, true)
    service.clock.advance(1_000)
    for (let n = 0; n < 198; n += 1) await register(`once-${n}`)
    service.clock.advance(61_000)
    await registry.forgetOld()
    expect(Object.keys(await states())).toContain('the first')
    await register('another once')
    service.clock.advance(61_000)
    await registry.forgetOld()
    const names = Object.keys(await states())
    expect([names.length, names.includes('the first'), names.includes('kept')]).toEqual([200, false, true])
  })
})
