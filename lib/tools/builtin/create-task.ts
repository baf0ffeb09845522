import type * as z from 'zod'
import { CreateTaskSchema } from '../../tasks/schema.ts'
import { defineTool } from '../tool.ts'

/** Creates a task in the name of a user, and queues it. Throws Problem `invalid`. */
export type CreateTaskFor = (
  userId: string,
  task: { title: string; prompt: string },
) => Promise<{ id: string; status: string }>

const input = CreateTaskSchema.pick({ title: true, prompt: true }).required()

export const createCreateTask = (create: CreateTaskFor) =>
  defineTool<typeof input>({
    name: 'create_task',
    description:
      'Create a task for an agent of this service, which works on it on its own. Answers its id at once; get_task tells how it goes.',
    input,
    risk: 'write',
    subject: ({ title }: z.output<typeof input>) => JSON.stringify(title),
    async run({ title, prompt }, { userId }) {
      const { id, status } = await create(userId, { title, prompt })
      return { content: `Created task ${id}, which is ${status}.` }
    },
  })
