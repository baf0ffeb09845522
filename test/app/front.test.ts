import { describe, expect, it } from '@jest/globals'
import { frontOf } from '../../lib/app/front.ts'
import { readConfig } from '../../lib/config.ts'
import { originOf } from '../../lib/http/front.ts'
import { httpEvent } from '../fakes/http-event.ts'

describe('the address that people know the service by', () => {
  it.each([
    ['HTTPS://Tasks.Example', 'https://tasks.example', true],
    ['https://tasks.example:443/', 'https://tasks.example', true],
    ['HTTP://tasks.example:8080/', 'http://tasks.example:8080', false],
  ])('is as browsers write it: %s', (PUBLIC_URL, baseUrl, isSecure) => {
    const front = frontOf(readConfig({ PUBLIC_URL }))
    expect(originOf(httpEvent('GET /api/tasks'), front)).toMatchObject({ baseUrl, isSecure })
  })

  it('need not be said', () => {
    expect(frontOf(readConfig({}))).toEqual({ trustedHops: 0 })
  })
})
