import { describe, expect, it } from '@jest/globals'
import { secretContext } from '../../lib/deliveries/schema.ts'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import { openDeliveries } from './opened.ts'

describe('the sealed secret of one owner', () => {
  it('signs what that owner is sent', async () => {
    await using receiver = await startReceiver()
    await using opened = openDeliveries()
    const secret = await opened.cipher.seal('a secret', secretContext('gw_1'))
    await opened.add({ owner: 'gw_1', url: receiver.url, secret })
    expect(receiver.heard.map(({ headers }) => typeof headers['x-svc-signature'])).toEqual(['string'])
  })

  it('signs nothing for another, into whose rows it was copied', async () => {
    await using receiver = await startReceiver()
    await using opened = openDeliveries()
    const secret = await opened.cipher.seal('a secret', secretContext('gw_2'))
    await opened.add({ owner: 'gw_1', url: receiver.url, secret })
    expect(receiver.heard).toEqual([])
    expect((await opened.row())?.status).toBe('pending')
  })
})
