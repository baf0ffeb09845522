import { describe, expect, it } from '@jest/globals'
import { createCipher } from '../../lib/adapters/node/cipher.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { createLinkedAccounts } from '../../lib/oauth/linked-accounts.ts'
import { createFindPerson } from '../../lib/oauth/person.ts'
import type { Provider } from '../../lib/oauth/provider.ts'
import type { Store } from '../../lib/ports/store.ts'
import { inEach, type MovedClock, media, USER } from './processes.ts'

const key = entropy(32)
const cipher = createCipher({ keys: () => [key], entropy })
const issuer = { name: 'oidc', realm: 'https://issuer.example' } as Provider
const who = (subject: string) => ({ subject, email: 'ann@example.com', emailVerified: true })
const user = {
  id: USER,
  email: 'ann@example.com',
  name: 'Ann',
  role: 'user',
  onboardingCompleted: false,
} as const

describe.each(media)('who signs in with an account elsewhere, kept in %s', (_name, start) => {
  /** One address, whose account is the user's. */
  const create = (again: () => Store, clock: MovedClock) => {
    const readAccountStatus = async () => ({ role: 'user' as const, disabled: false })
    const accounts = createLinkedAccounts({ store: again(), cipher, clock, readAccountStatus })
    const findOrCreateUser = async () => ({ user, isNew: false })
    const findPerson = createFindPerson({
      accounts,
      findUser: async () => user,
      readAccountStatus,
      findOrCreateUser,
    })
    return {
      accounts,
      findPerson: (there: Provider, subject: string) => findPerson(there, { profile: who(subject) }, ''),
    }
  }
  const open = inEach(start, create)

  it('is known by the subject, and by the address only where no other subject of that issuer is', async () => {
    const [one, other] = [open(), open()]
    expect(await one.findPerson(issuer, '1')).toEqual({ user, isKnown: false, isNew: false })
    await one.accounts.link(issuer, USER, who('1'), undefined)
    expect(await other.findPerson(issuer, '1')).toEqual({ user, isKnown: true, isNew: false })
    await expect(other.findPerson(issuer, '777')).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'account_exists',
    })
    expect((await other.findPerson({ ...issuer, realm: 'https://new.example' }, '777')).user).toEqual(user)
    expect((await other.findPerson({ ...issuer, name: 'codehost' }, '777')).user).toEqual(user)
  })

  it('is known by an issuer of before as by that of now', async () => {
    const { accounts, findPerson } = open()
    await accounts.link({ ...issuer, realm: 'https://before.example' }, USER, who('1'), undefined)
    expect(await findPerson(issuer, '1')).toEqual({ user, isKnown: false, isNew: false })
    await accounts.link(issuer, USER, who('1'), undefined)
    expect((await accounts.ofUser(USER)).map(({ realm }) => realm).sort()).toEqual([
      'https://before.example',
      issuer.realm,
    ])
    await expect(findPerson(issuer, '777')).rejects.toMatchObject({ code: 'account_exists' })
  })
})
