import * as z from 'zod'
import { agentCallKinds } from '../../core/agent-call-kinds.ts'
import { secretSegment } from '../../core/secret-path.ts'
import { defineTool, type Tool } from '../tool.ts'

const Input = z.object({
  title: z.string(),
  /** The files that the call changes. */
  paths: z.array(z.string()).default([]),
  /** The words of its command, between the signs of a shell. */
  command: z.array(z.string()).default([]),
  /** The call as the agent has it. */
  input: z.unknown().optional(),
})

/**
 * What agents that are programs of their own ask permission for, as tools: mode, guards, approvals and audit treat them as
 * all others. The agent makes the call itself, once it is allowed. Its commands are lines of a shell, which runs in its
 * sandbox: of their words, those that may name credentials are paths for the guards.
 */
export const agentCalls: readonly Tool[] = Object.entries(agentCallKinds).map(
  ([kind, risk]) =>
    defineTool({
      name: `agent_${kind}`,
      description: `A call that an agent makes by itself: ${kind}`,
      input: Input,
      risk,
      paths: ({ paths, command }) => [
        ...paths,
        ...command.filter((word) => secretSegment(word) !== undefined),
      ],
      subject: ({ title }) => title,
      run: async () => ({ content: 'Allowed: the agent makes the call itself' }),
    }) as unknown as Tool,
)
