import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { linkedAccounts } from '../../lib/oauth/rows.ts'
import type { Store } from '../../lib/ports/store.ts'
import { until } from '../journeys/api.ts'
import { createMovedClock, type Medium, media, openProcess, USER } from './processes.ts'
import { startProvider, type TestProvider } from './provider.ts'

const HOUR_MS = 3_600_000

describe.each(media)('access tokens, kept in %s', (_name, start) => {
  let medium: Medium
  let provider: TestProvider
  let clock: ReturnType<typeof createMovedClock>
  let again: () => Store
  beforeAll(async () => {
    medium = await start()
  })
  afterAll(() => medium.close())
  beforeEach(async () => {
    provider = await startProvider()
    clock = createMovedClock()
    again = await medium.open(clock)
  })
  afterEach(() => provider[Symbol.asyncDispose]())

  const open = (timeoutMs?: number) =>
    openProcess({ store: again(), clock, provider, ...(timeoutMs ? { timeoutMs } : {}) })
  const refreshes = () => provider.refreshes()

  it('are used as they are while they work', async () => {
    const { link, accessToken } = open()
    await link('trackera')
    const token = await accessToken(USER, 'trackera')
    expect(await accessToken(USER, 'trackera')).toBe(token)
    expect(await accessToken(USER, 'trackerb')).toBeUndefined()
    expect(await accessToken('user_2', 'trackera')).toBeUndefined()
    expect(refreshes()).toBe(0)
  })

  it('are renewed once, however many ask in however many processes', async () => {
    const processes = [open(), open(), open()]
    await processes[0]?.link('trackera')
    const old = await processes[0]?.accessToken(USER, 'trackera')
    clock.move(HOUR_MS)
    provider.state.held = setTimeout(300)
    const asked = processes.flatMap(({ accessToken }) =>
      Array.from({ length: 20 }, () => accessToken(USER, 'trackera')),
    )
    const tokens = new Set(await Promise.all(asked))
    expect(tokens.size).toBe(1)
    expect(tokens).not.toContain(old)
    expect(provider.grants.works([...tokens][0] ?? '')).toBe(true)
    expect(refreshes()).toBe(1)
  })

  it('are renewed again and again, each time with the refresh token of the last', async () => {
    const { link, accessToken } = open()
    await link('trackerb')
    const tokens = new Set<string | undefined>()
    for (let hours = 0; hours < 5; hours++) {
      tokens.add(await accessToken(USER, 'trackerb'))
      clock.move(HOUR_MS)
    }
    expect(tokens.size).toBe(5)
    expect(refreshes()).toBe(4)
  })

  it('are renewed a minute before they expire', async () => {
    const { link, accessToken } = open()
    await link('trackera')
    clock.move(HOUR_MS - 61_000)
    await accessToken(USER, 'trackera')
    expect(refreshes()).toBe(0)
    clock.move(2_000)
    await accessToken(USER, 'trackera')
    expect(refreshes()).toBe(1)
  })

  it('are in storage before they are handed out', async () => {
    const process = open()
    await process.link('trackera')
    clock.move(HOUR_MS)
    const token = await process.accessToken(USER, 'trackera')
    const row = await process.row()
    expect(row && (await process.accounts.openTokens(row))?.accessToken).toBe(token)
    expect(row).not.toHaveProperty('renewingUntil')
  })

  it.each(['codehost', 'trackera', 'trackerb'] as const)(
    'end when %s refuses to renew them: the account has to be linked again',
    async (name) => {
      const process = open()
      await process.link(name)
      clock.move(HOUR_MS)
      provider.grants.revokeAll()
      const ended = { kind: 'invalid', code: 'connection_expired' }
      await expect(process.accessToken(USER, name)).rejects.toMatchObject(ended)
      await expect(process.accessToken(USER, name)).rejects.toMatchObject(ended)
      expect(refreshes()).toBe(1)
      expect(await process.findConnection(USER, name)).toMatchObject({ connected: false })
      expect(await process.readConnections(USER)).toEqual({
        connectedAccounts: [name],
        hasCodeHostToken: false,
      })
      expect(await process.row()).not.toHaveProperty('tokens')
      await process.link(name)
      expect(provider.grants.works((await process.accessToken(USER, name)) ?? '')).toBe(true)
    },
  )

  it('are asked for again when a provider did not answer in time', async () => {
    const process = open(200)
    await process.link('trackera')
    clock.move(HOUR_MS)
    provider.state.fault = 'hang'
    const failed = { kind: 'unavailable', code: 'provider_unreachable' }
    await expect(process.accessToken(USER, 'trackera')).rejects.toMatchObject(failed)
    expect(await process.findConnection(USER, 'trackera')).toMatchObject({ connected: true })
    provider.state.fault = 'none'
    expect(provider.grants.works((await process.accessToken(USER, 'trackera')) ?? '')).toBe(true)
  })

  it.each(['status 500', 'html', 'refusal with 200', 'reset', 'huge'] as const)(
    'outlive a token endpoint that answers with %s',
    async (fault) => {
      const process = open()
      await process.link('trackera')
      clock.move(HOUR_MS)
      provider.state.fault = fault
      await expect(process.accessToken(USER, 'trackera')).rejects.toMatchObject({ kind: 'unavailable' })
      expect(await process.row()).not.toHaveProperty('renewingUntil')
      provider.state.fault = 'none'
      expect(provider.grants.works((await process.accessToken(USER, 'trackera')) ?? '')).toBe(true)
    },
  )

  it('are handed out for their last minute when they cannot be renewed', async () => {
    const process = open()
    await process.link('trackera')
    const old = await process.accessToken(USER, 'trackera')
    clock.move(HOUR_MS - 30_000)
    provider.state.fault = 'status 500'
    expect(await process.accessToken(USER, 'trackera')).toBe(old)
    clock.move(30_000)
    await expect(process.accessToken(USER, 'trackera')).rejects.toMatchObject({ code: 'oauth_failed' })
  })

  /** As a process leaves it that dies between asking the provider and storing the answer. */
  const dieInTheMiddle = async (process: ReturnType<typeof open>) => {
    const row = await process.row()
    const tokens = row && (await process.accounts.openTokens(row))
    if (row === undefined || tokens?.refreshToken === undefined) throw new Error('nothing is linked')
    provider.grants.renew(new URLSearchParams({ refresh_token: tokens.refreshToken }))
    await again().commit({
      update: linkedAccounts,
      key: row.id,
      set: { renewingUntil: clock.now() + 20_000 },
      add: { version: 1 },
    })
  }

  it('survive a death in the middle with a provider that gives grace', async () => {
    const [dying, living] = [open(), open()]
    await dying.link('trackera')
    clock.move(HOUR_MS)
    provider.grants.life.forgives = true
    await dieInTheMiddle(dying)
    const asked = living.accessToken(USER, 'trackera')
    await setTimeout(300)
    expect(refreshes()).toBe(0)
    clock.move(20_000)
    expect(provider.grants.works((await asked) ?? '')).toBe(true)
    expect(refreshes()).toBe(1)
  })

  it('end after a death in the middle with a provider that gives none', async () => {
    const [dying, living] = [open(), open()]
    await dying.link('trackera')
    clock.move(HOUR_MS)
    await dieInTheMiddle(dying)
    clock.move(20_000)
    const asked = living.accessToken(USER, 'trackera')
    await expect(asked).rejects.toMatchObject({ code: 'connection_expired' })
  })

  /** The token that a process asked for, while the provider takes its time to renew it. */
  const beingRenewed = async () => {
    const one = open()
    await one.link('trackerb')
    clock.move(HOUR_MS)
    const { promise: held, resolve: renew } = Promise.withResolvers<void>()
    provider.state.held = held
    const asked = one.accessToken(USER, 'trackerb')
    await until(() => refreshes() || undefined)
    provider.state.held = Promise.resolve()
    return { asked, renew }
  }

  it('are revoked when the account was unlinked while they were renewed', async () => {
    const other = open()
    const { asked, renew } = await beingRenewed()
    const row = await other.row()
    if (row) await other.accounts.remove(row)
    renew()
    expect(await asked).toBeUndefined()
    expect(provider.revocations).toHaveLength(1)
  })

  it('are those of the account that was linked meanwhile', async () => {
    const other = open()
    const { asked, renew } = await beingRenewed()
    await other.link('trackerb')
    const linked = await other.accessToken(USER, 'trackerb')
    renew()
    expect(await asked).toBe(linked)
    expect(provider.revocations).toEqual([])
  })

  it('that do not expire stay as they are', async () => {
    provider.grants.life.expiresIn = undefined
    const process = open()
    await process.link('codehost')
    const token = await process.accessToken(USER, 'codehost')
    clock.move(1_000 * HOUR_MS)
    expect(await process.accessToken(USER, 'codehost')).toBe(token)
    expect(refreshes()).toBe(0)
  })
})
