import type { Risk } from '../../../../lib/tools/schema.ts'
import { Tag, type Tone } from './tag.tsx'

type Look = { says: string; means: string; tone: Tone }

/** What a tool can do at worst, in words. */
export const risks: Readonly<Record<Risk, Look>> = {
  read: { says: 'Reads', tone: 'plain', means: 'Reads files, memory or tasks and changes nothing' },
  network: {
    says: 'Uses the web',
    tone: 'warn',
    means: 'Asks the web, which can carry away what the model has read',
  },
  write: { says: 'Writes', tone: 'warn', means: 'Changes files of the workspace or creates tasks' },
  execute: { says: 'Runs programs', tone: 'bad', means: 'Runs a program in the sandbox' },
}

export const RiskTag = ({ risk }: { risk: Risk }) => (
  <span title={risks[risk].means} className="inline-flex shrink-0">
    <Tag tone={risks[risk].tone}>{risks[risk].says}</Tag>
  </span>
)
