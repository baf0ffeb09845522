import type { Risk } from '../../../../lib/tools/schema.ts'
import { Tag, type Tone } from './tag.tsx'

type Look = { label: string; meaning: string; tone: Tone }

export const risks: Readonly<Record<Risk, Look>> = {
  read: { label: 'Reads', tone: 'plain', meaning: 'Reads files, memory or tasks and changes nothing' },
  network: {
    label: 'Uses the web',
    tone: 'warn',
    meaning: 'Sends requests to the web, which can leak what the model has read',
  },
  write: { label: 'Writes', tone: 'warn', meaning: 'Changes workspace files or creates tasks' },
  execute: { label: 'Runs programs', tone: 'bad', meaning: 'Runs a program in the sandbox' },
}

export const RiskTag = ({ risk }: { risk: Risk }) => (
  <span title={risks[risk].meaning} className="inline-flex shrink-0">
    <Tag tone={risks[risk].tone}>{risks[risk].label}</Tag>
  </span>
)
