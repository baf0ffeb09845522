import { describe, expect, it } from '@jest/globals'
import { type AskApi, codehostProfile } from '../../lib/oauth/profiles.ts'

const USER = { id: 1, login: 'ann' }
const profileWith = (emails: readonly object[]) => {
  const ask: AskApi = async (schema, path) => schema.parse(path === '/user' ? USER : emails)
  return codehostProfile(ask)
}
const one = (email: string, primary: boolean, verified: boolean) => ({ email, primary, verified })

describe('the address that the code host has of a person', () => {
  it.each([
    ['the primary one', [one('b@x.test', false, true), one('a@x.test', true, true)], 'a@x.test', true],
    [
      'a verified one rather than the primary one',
      [one('a@x.test', true, false), one('b@x.test', false, true)],
      'b@x.test',
      true,
    ],
    ['one that is told not to be verified', [one('a@x.test', true, false)], 'a@x.test', false],
    // Nobody reads what is sent there, and it proves nobody's address elsewhere.
    [
      'not the one that hides another',
      [one('a@x.test', true, false), one('1+ann@users.noreply.github.com', false, true)],
      'a@x.test',
      false,
    ],
    ['not one that nobody reads', [one('1+ann@Users.NoReply.code.example', true, true)], undefined, false],
    ['none', [], undefined, false],
  ])('is %s', async (_what, emails, email, emailVerified) => {
    expect(await profileWith(emails)).toEqual({
      subject: '1',
      username: 'ann',
      emailVerified,
      ...(email && { email }),
    })
  })
})
