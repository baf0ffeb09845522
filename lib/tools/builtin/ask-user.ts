import * as z from 'zod'
import { definedFields } from '../../core/defined-fields.ts'
import { QuestionOptionsSchema, QuestionTextSchema } from '../../core/question.ts'
import { defineTool } from '../tool.ts'

/** Ends the turn of an agent with a question. It touches nothing, so each mode allows it. */
export const askUser = defineTool({
  name: 'ask_user',
  description:
    'Ask a person a question, with up to six suggested answers. It ends your turn, and the answer begins the next one. Call it alone, and only if you cannot go on without a decision that is not yours to make.',
  input: z.object({ question: QuestionTextSchema, options: QuestionOptionsSchema.optional() }),
  risk: 'read',
  isInEveryMode: true,
  subject: ({ question }) => JSON.stringify(question),
  run: async ({ question: text, options }) => ({
    content: 'Asked. Your turn ends here. The answer begins your next turn.',
    question: { text, ...definedFields({ options }) },
  }),
})
