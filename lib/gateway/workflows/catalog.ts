import { codeReview } from './code-review.ts'
import { refactor } from './refactor.ts'
import { summarize } from './summarize.ts'
import { testGeneration } from './test-generation.ts'
import { ticketResolve } from './ticket-resolve.ts'
import type { Workflow } from './workflow.ts'

/** The workflows that a request may name. `custom` is free-form: the agent reads the request as it is. */
export const workflows = {
  'code-review': codeReview,
  'ticket-resolve': ticketResolve,
  'test-generation': testGeneration,
  refactor,
  summarize,
  custom: undefined,
} as const satisfies Readonly<Record<string, Workflow | undefined>>

export type WorkflowName = keyof typeof workflows
export const WORKFLOW_NAMES = Object.keys(workflows) as [WorkflowName, ...WorkflowName[]]
