import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { maskText } from '../../lib/core/redact.ts'
import { identityRows, pairings } from '../../lib/devices/rows.ts'
import type { Store } from '../../lib/ports/store.ts'
import { ANN, BOB } from '../fakes/service.ts'
import { ann, cipher, composeDevices, type Opened, outcomeCode, requester, storages } from './opened.ts'

/** Whatever was written, as it was written. */
const recording = (store: Store) => {
  const written: string[] = []
  const commit: Store['commit'] = (head, followers, detail) => {
    written.push(JSON.stringify([head, typeof followers === 'function' ? '' : followers]))
    return store.commit(head, followers, detail)
  }
  return { written, store: { ...store, commit } }
}

describe.each(storages)('the secrets of devices on %s', (_name, open) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())

  it('are in no row, no audit record, no log line and no error', async () => {
    const { written, store } = recording(opened.store)
    const { devices, sessions, audit, log } = composeDevices({ store, clock: opened.clock })
    const { request, approve, reject, status } = devices.pairing
    const heard: string[] = []
    await devices.attest({ a: 1 })
    const made = await request(requester())
    const approved = await approve(ann(), made.code)
    const { token = '' } = await status(made.requestId)
    await sessions.findPrincipal(token)
    const other = await request(requester())
    await reject(ann(), other.code, 'no')
    for (const refused of [
      () => approve(ann(), made.code),
      () => reject(ann(), other.code, undefined),
      () => devices.revoke(BOB, approved.id),
      () => status(`${made.requestId}x`),
    ])
      heard.push(
        await refused().then(String, (thrown) => JSON.stringify({ ...thrown, message: thrown.message })),
      )
    await devices.revoke(ANN, approved.id)
    opened.clock.advance(600_000)
    await devices.cleanup(ANN)

    const row = await opened.store.get(identityRows, 'service')
    const secret = Buffer.from(await cipher.open(row?.sealedSecret ?? '', 'devices/identity'), 'base64')
    const { records } = await audit.list({ limit: 200 })
    expect(records.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['device.approve', 'device.reject', 'device.revoke', 'device.cleanup']),
    )
    const all = [
      ...written,
      ...heard,
      JSON.stringify(records),
      JSON.stringify(log.entries),
      JSON.stringify(approved),
    ]
    const codes = [made, other].flatMap(({ code }) => [
      code,
      code.replaceAll('-', ''),
      code.replaceAll('-', ' '),
    ])
    const secrets = [
      ...codes,
      ...[made.requestId, other.requestId, token],
      ...[secret.toString('base64'), secret.toString('hex'), secret.toString('base64url')],
    ]
    expect(secrets.filter((canary) => all.some((text) => text.includes(canary)))).toEqual([])
    expect(written.length).toBeGreaterThan(8)
  })

  it('open nothing when a sealed token is moved to another device', async () => {
    const { devices } = composeDevices(opened)
    const [one, two] = [
      await devices.pairing.request(requester()),
      await devices.pairing.request(requester()),
    ]
    const { id } = await devices.pairing.approve(ann(), one.code)
    const { id: thief } = await devices.pairing.approve(ann(), two.code)
    for (const { requestId } of [one, two]) await devices.pairing.status(requestId)
    const { sealedToken = '' } = (await opened.store.get(pairings, id)) ?? {}
    await opened.store.commit({ update: pairings, key: thief, set: { sealedToken } })
    expect(await outcomeCode(devices.pairing.status(two.requestId))).toBe('sealed_text_unreadable')
  })

  it('are masked in a log line that quotes the path of a request', async () => {
    const { devices } = composeDevices(opened)
    const { requestId } = await devices.pairing.request(requester())
    expect(maskText(`GET /api/devices/pairing/status/${requestId}`)).not.toContain(requestId)
  })
})
