import { Ajv } from 'ajv';
import { object } from './json-schema.ts';

// The JSON that Discord's webhooks accept, as far as the gateway could use it. Discord ignores unknown fields; here
// they are an error.
// https://docs.discord.com/developers/resources/webhook#execute-webhook
// https://docs.discord.com/developers/resources/message#embed-object (and #embed-object-embed-limits)
// https://github.com/discord/discord-api-spec/blob/main/specs/openapi.json

interface DiscordEmbed {
  title?: string;
  description?: string;
  url?: string;
  timestamp?: string;
  color?: number;
  footer?: { text: string; icon_url?: string };
  author?: { name: string; url?: string; icon_url?: string };
  fields?: { name: string; value: string; inline?: boolean }[];
}

/** A message that Discord accepts. */
export interface DiscordMessage {
  content?: string;
  embeds?: DiscordEmbed[];
  username?: string;
  allowed_mentions?: { parse?: string[]; roles?: string[]; users?: string[]; replied_user?: boolean };
  flags?: number;
  tts?: boolean;
}

// Surrounding white space is trimmed, so a text of white space only is empty.
const filled = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength, pattern: '\\S' });
const atMost = (maxLength: number) => ({ type: 'string', maxLength });
// Schemes are http and https. Not documented, but reported: a host without a dot is "not a well formed URL".
// https://github.com/bugsink/bugsink/issues/280, https://github.com/go-gitea/gitea/issues/14379
const url = { type: 'string', maxLength: 2048, pattern: '^https?://[^\\s/.]+\\.[^\\s/]+(/\\S*)?$' };

const embed = object([], {
  title: atMost(256),
  type: { const: 'rich' },
  description: atMost(4096),
  url,
  timestamp: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$' },
  color: { type: 'integer', minimum: 0, maximum: 0xffffff },
  footer: object(['text'], { text: filled(2048), icon_url: url }),
  author: object(['name'], { name: filled(256), url, icon_url: url }),
  fields: {
    type: 'array',
    maxItems: 25,
    items: object(['name', 'value'], { name: filled(256), value: filled(1024), inline: { type: 'boolean' } }),
  },
});

const snowflakes = { type: 'array', maxItems: 100, items: { type: 'string', pattern: '^\\d{1,20}$' } };

const schema = object([], {
  content: atMost(2000),
  username: filled(80),
  avatar_url: url,
  tts: { type: 'boolean' },
  embeds: { type: 'array', maxItems: 10, items: embed },
  // https://docs.discord.com/developers/resources/message#allowed-mentions-object
  allowed_mentions: object([], {
    parse: { type: 'array', uniqueItems: true, items: { enum: ['roles', 'users', 'everyone'] } },
    roles: snowflakes,
    users: snowflakes,
    replied_user: { type: 'boolean' },
  }),
  // SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS
  flags: { enum: [0, 4, 4096, 4100] },
});

/** Whether a value is a valid message; `errors` has the reasons if not. */
export const isDiscordMessage = new Ajv({ allErrors: true }).compile<DiscordMessage>(schema);
