import { RiskTag } from '../../components/risk.tsx'
import { tools } from '../../data/at-build.ts'
import type { Policy } from '../../data/security.ts'
import { fields } from './words.ts'

export const LISTS = ['allowedTools', 'blockedTools', 'requireApprovalFor'] as const
export type ListName = (typeof LISTS)[number]
type Lists = Pick<Policy, ListName>
type ToolName = Lists[ListName][number]

const hints: Readonly<Record<ListName, string>> = {
  allowedTools: 'The only tools that mode allowlist permits.',
  blockedTools: 'Denied in every mode, including full. Takes precedence over the other lists.',
  requireApprovalFor:
    'Each call needs approval, in every mode that permits the tool. Agentic turns do not ask.',
}

type Props = { lists: Lists; isDisabled: boolean; onChange: (list: ListName, names: ToolName[]) => void }

export const ToolLists = ({ lists, isDisabled, onChange }: Props) => {
  const turn = (list: ListName, name: ToolName) => {
    const names = lists[list]
    onChange(list, names.includes(name) ? names.filter((one) => one !== name) : [...names, name])
  }
  return (
    <>
      <div className="overflow-x-auto">
        <table aria-label="Tools" className="w-full text-left">
          <thead>
            <tr className="border-b text-xs text-muted-foreground">
              <th scope="col" className="px-3.5 py-2 font-normal">
                Tool
              </th>
              {LISTS.map((list) => (
                <th key={list} scope="col" className="px-2 py-2 text-center font-normal">
                  {fields[list]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {tools.map(({ name, risk }) => (
              <tr key={name} className="border-b last:border-0 hover:bg-muted">
                <th scope="row" className="px-3.5 py-1.5 font-normal">
                  <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
                    <code className="font-mono">{name}</code>
                    <RiskTag risk={risk} />
                  </span>
                </th>
                {LISTS.map((list) => (
                  <td key={list} className="p-0 text-center">
                    <label className="inline-flex cursor-pointer p-2.5">
                      <input
                        type="checkbox"
                        aria-label={`${fields[list]}: ${name}`}
                        checked={lists[list].includes(name as ToolName)}
                        disabled={isDisabled}
                        onChange={() => turn(list, name as ToolName)}
                        className="size-3.5 accent-primary"
                      />
                    </label>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 border-t px-3.5 py-3 text-muted-foreground">
        {LISTS.map((list) => (
          <div key={list} className="contents">
            <dt className="font-medium text-foreground">{fields[list]}</dt>
            <dd>{hints[list]}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
