import { buttonClass } from '../../components/button.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { Tag } from '../../components/tag.tsx'
import { Panel } from '../../components/view.tsx'
import { type ProviderName, providers, useProviders, wayTo } from '../../data/providers.ts'

const nameOf = (says: string) => says.charAt(0).toUpperCase() + says.slice(1)
const isProvider = (name: string): name is ProviderName => Object.hasOwn(providers, name)

/** The accounts elsewhere that one signs in with, or that tasks read and write with. */
export const LinkedAccounts = ({ linked }: { linked: readonly string[] }) => {
  const { data = [] } = useProviders()
  const names = [...new Set([...linked.filter(isProvider), ...data])]
  if (names.length === 0) return null
  return (
    <Panel title="Linked accounts">
      <Rows label="Linked accounts">
        {names.map((name) => (
          <Row
            key={name}
            title={nameOf(providers[name].says.replace(/^the /, ''))}
            aside={linked.includes(name) && <Tag tone="good">Linked</Tag>}
            meta={linked.includes(name) ? 'An admin can unlink it.' : 'Link it, and tasks can act with it.'}
            actions={
              <a href={wayTo(name)} className={buttonClass({ size: 'small' })}>
                {linked.includes(name) ? 'Link again' : 'Link'}
              </a>
            }
          />
        ))}
      </Rows>
    </Panel>
  )
}
