import type * as z from 'zod'
import type { SecurityMode } from '../../core/security-mode.ts'
import { CreateTaskSchema } from '../../tasks/schema.ts'
import { defineTool } from '../tool.ts'

/**
 * Creates a task in the name of a user, and queues it. The task may do what the conversation that makes it may do: it runs in
 * the same security mode. Throws Problem `invalid`.
 */
export type CreateTaskFor = (
  userId: string,
  task: { title: string; prompt: string; securityMode: SecurityMode },
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
    async run({ title, prompt }, { userId, mode: securityMode }) {
      const { id, status } = await create(userId, { title, prompt, securityMode })
      return { content: `Created task ${id}, which is ${status}.` }
    },
  })
