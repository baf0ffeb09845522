import { describe, expect, it } from '@jest/globals'
import { openService } from '../journeys/opened-service.ts'
import { personAt } from './key-person.ts'

const started = async () => {
  const service = await openService()
  const person = () => personAt(service.baseUrl)
  return { person, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

describe('an access key that several set at once', () => {
  it('is that of the first commit, whose caller alone is signed in', async () => {
    await using house = await started()
    const people = [1, 2, 3, 4].map((n) => ({ ...house.person(), key: `key number ${n}` }))
    const answers = await Promise.all(people.map(({ change, key }) => change(key)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401])
    for (const [n, { status, body, cookie }] of answers.entries())
      if (status !== 200) expect([n, body.code, cookie]).toEqual([n, 'not_signed_in', ''])
    const allowed = await Promise.all(people.map(({ may }) => may()))
    expect(allowed).toEqual(answers.map(({ status }) => status === 200))
    const told = await Promise.all(people.map(({ key }) => house.person().tell(key)))
    expect(told.map(({ status }) => status)).toEqual(answers.map(({ status }) => status))
  })

  it('is one of theirs too when one person does it twice at once, who stays signed in', async () => {
    await using house = await started()
    const ann = house.person()
    await ann.change('the first key')
    const answers = await Promise.all(['key number 1', 'key number 2'].map((key) => ann.change(key)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
    expect(answers.find(({ status }) => status === 400)?.body.code).toBe('access_key_changed')
    expect(await ann.may()).toBe(true)
    const told = await Promise.all(['key number 1', 'key number 2'].map((key) => house.person().tell(key)))
    expect(told.map(({ status }) => status === 200)).toEqual(answers.map(({ status }) => status === 200))
  })
})
