import { CheckField } from '../../components/check-field.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { toast } from '../../components/toast.tsx'
import { Panel } from '../../components/view.tsx'
import { settings as every } from '../../data/at-build.ts'
import { useChangeSettings, useSettings } from '../../data/settings.ts'

const GROUP = 'reporting'
const words: Readonly<Record<string, { label: string; hint: string }>> = {
  comments: {
    label: 'Comment on issues',
    hint: 'Tasks from an issue report their result there as a comment.',
  },
  pullRequests: {
    label: 'Open pull requests',
    hint: 'Changes to a GitHub repository are pushed to a new branch, with a pull request.',
  },
}

export const Reporting = () => {
  const { data } = useSettings()
  const { mutate, error, isPending } = useChangeSettings()
  if (!data) return null
  const turn = (name: string, isOn: boolean) =>
    mutate(
      { [`${GROUP}.${name}`]: isOn },
      { onSuccess: () => void toast.done(`${words[name]?.label ?? name}: ${isOn ? 'on' : 'off'}`) },
    )
  return (
    <Panel title="Reporting">
      <div className="flex flex-col gap-3 p-3.5">
        {Object.entries(data.settings[GROUP]).map(([name, isOn]) => {
          const path = `${GROUP}.${name}`
          const isFixed = data.sources[path] === 'environment'
          const variable = every.find((one) => one.path === path)?.variable ?? 'a variable'
          return (
            <CheckField
              key={name}
              label={words[name]?.label ?? name}
              hint={isFixed ? `Set by ${variable} in the environment.` : words[name]?.hint}
              isChecked={isOn}
              disabled={isFixed || isPending}
              onChange={() => turn(name, !isOn)}
            />
          )
        })}
        <Refusal error={error} />
      </div>
    </Panel>
  )
}
