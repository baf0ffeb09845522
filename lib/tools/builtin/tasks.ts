import * as z from 'zod'
import { cutText } from '../../core/cut-text.ts'
import type { SecurityMode } from '../../core/security-mode.ts'
import { CreateTaskSchema, type Task } from '../../tasks/schema.ts'
import { defineTool } from '../tool.ts'

/** Creates and queues a task of a user, in the security mode of the conversation. Throws Problem `invalid`. */
export type CreateTaskFor = (
  userId: string,
  task: { title: string; prompt: string; securityMode: SecurityMode },
) => Promise<{ id: string; status: string }>

const input = CreateTaskSchema.pick({ title: true, prompt: true }).required()

export const createCreateTask = (create: CreateTaskFor) =>
  defineTool<typeof input>({
    name: 'create_task',
    description:
      'Create a task for an agent of this service, which works on it on its own. Answers its id at once; get_task says how it goes.',
    input,
    risk: 'write',
    subject: ({ title }: z.output<typeof input>) => JSON.stringify(title),
    async run({ title, prompt }, { userId, mode: securityMode }) {
      const { id, status } = await create(userId, { title, prompt, securityMode })
      return { content: `Created task ${id}, which is ${status}.` }
    },
  })

/** Reads a task as any user of the installation may; undefined when it does not exist. */
export type FindTask = (id: string) => Promise<Task | undefined>

const MOST_CHARACTERS = 8_000

export const createGetTask = (find: FindTask) =>
  defineTool({
    name: 'get_task',
    description: 'Read how a task stands: its status, what it was asked, and its result or error.',
    input: z.object({ id: z.string().min(1).max(200) }),
    risk: 'read',
    subject: ({ id }) => id,
    async run({ id }) {
      const task = await find(id)
      if (task === undefined) return { content: `There is no task ${JSON.stringify(id)}.`, failed: true }
      return { content: taskText(task) }
    },
  })

const taskText = ({ id, title, status, prompt, result, error, createdAt, completedAt }: Task): string =>
  [
    `${id}: ${title}`,
    `status: ${status}, created ${createdAt}${completedAt === undefined ? '' : `, ended ${completedAt}`}`,
    ...(prompt === undefined ? [] : [`prompt: ${cutText(prompt, MOST_CHARACTERS)}`]),
    ...(error === undefined ? [] : [`error: ${error.code}: ${error.message}`]),
    ...(result === undefined ? [] : [`result: ${cutText(result.output, MOST_CHARACTERS)}`]),
  ].join('\n')
