import type { SecurityMode } from '../../../../../lib/core/security-mode.ts'
import type { Risk } from '../../../../../lib/tools/schema.ts'
import { modeMeanings, modeNames } from '../../components/mode-words.ts'
import { risks } from '../../components/risk.tsx'
import { Scroller } from '../../components/scroller.tsx'
import { Tag } from '../../components/tag.tsx'
import { Panel } from '../../components/view.tsx'
import { modePolicy } from '../../data/at-build.ts'
import { verdicts } from './words.ts'

const riskNames = Object.keys(risks) as Risk[]
const modes = Object.keys(modeNames) as SecurityMode[]

const rowClass = 'border-b max-md:grid max-md:grid-cols-4 max-md:px-1.5'
const cellClass = 'px-2 py-2 align-top'

/** Computed by the policy of the service itself. */
export const ModeTable = ({ chat, tasks }: { chat: SecurityMode; tasks: SecurityMode }) => (
  <Panel title="What each mode allows">
    <Scroller role="group" label="Table of modes" className="overflow-x-auto">
      <table aria-label="Modes and kinds of tools" className="w-full text-left">
        <thead>
          <tr className={`${rowClass} text-xs text-muted-foreground`}>
            <th scope="col" className="px-3.5 py-2 font-normal max-md:sr-only">
              Mode
            </th>
            {riskNames.map((risk) => (
              <th key={risk} scope="col" className={`${cellClass} font-normal`} title={risks[risk].meaning}>
                {risks[risk].label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {modes.map((mode) => (
            <tr key={mode} className={`${rowClass} last:border-0`}>
              <th scope="row" className="px-3.5 py-2 font-normal max-md:col-span-4 max-md:px-2 max-md:pb-0">
                <span className="flex items-center gap-2">
                  <span className="font-medium">{modeNames[mode]}</span>
                  <code className="font-mono text-muted-foreground">{mode}</code>
                  {mode === chat && <Tag>Chat default</Tag>}
                  {mode === tasks && <Tag>Task default</Tag>}
                </span>
                <span className="text-muted-foreground">{modeMeanings[mode]}</span>
              </th>
              {riskNames.map((risk) => {
                const { label, tone, meaning } = verdicts[modePolicy[mode][risk]]
                return (
                  <td key={risk} className={cellClass} title={meaning}>
                    <Tag tone={tone}>{label}</Tag>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
    <div className="flex flex-col gap-1.5 border-t px-3.5 py-3 text-muted-foreground">
      <p>Conversations and tasks can choose a mode. Otherwise their default mode applies.</p>
      <p>
        Guards apply in every mode, including <code className="font-mono">full</code>: no paths outside of the
        workspace, no shell metacharacters, no secret files, no calls beyond the limit.
      </p>
    </div>
  </Panel>
)
