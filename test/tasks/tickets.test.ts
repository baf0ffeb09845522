import { expect, it } from '@jest/globals'
import { CreateTaskSchema } from '../../lib/tasks/schema.ts'
import { ANN, startDomains } from '../fakes/service.ts'

const ticket = { source: 'codehost' as const, sourceId: 'ann/notes#12' }

it('finds the newest task of a ticket by its key, however it was made, and looks at no other', async () => {
  const pagedCollections: string[] = []
  await using service = await startDomains({
    background: false,
    wrapStore: (store) => ({
      ...store,
      page: (of, query) => {
        pagedCollections.push(of.name)
        return store.page(of, query)
      },
    }),
  })
  const { tasks, create, clock } = service
  const newest = async () => (await tasks.newestOfTicket(ticket.source, ticket.sourceId))?.id
  expect(await newest()).toBeUndefined()
  const ways = [
    () => create(ticket),
    async () =>
      (await tasks.createOnce(ANN, CreateTaskSchema.parse({ title: 'Once', ...ticket }), 'key')).task,
    async () => tasks.retry(ANN, (await tasks.cancel(ANN, (await create(ticket)).id)).id),
  ]
  for (const make of ways) {
    clock.advance(1_000)
    const { id } = await make()
    await create({ source: 'codehost', sourceId: 'ann/notes#1' })
    await create({ source: 'trackera', sourceId: ticket.sourceId })
    expect(await newest()).toBe(id)
  }
  expect(pagedCollections).not.toContain('tasks')
})
