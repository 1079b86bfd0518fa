/**
 * What to do at a provider, in short sentences. `**…**` is a place to click, backticks are text to type or read, and
 * `{address}` stands for the ingestion address. From docs/providers/*.md.
 */
export interface ProviderSteps {
  /** What the provider is, for the choice. */
  about: string;
  /** The provider shows the secret; the user chooses it; or either, as with senders of one's own. */
  secret: 'shown' | 'chosen' | 'either';
  /** What comes before the account: mostly, where the secret is. */
  before: readonly string[];
  /** What comes after the account was created. */
  after: readonly string[];
  /** Settings that the provider's page recommends over the defaults. */
  config?: Readonly<Record<string, string>>;
}

const providers = new Map(
  Object.entries<ProviderSteps>({
    generic: {
      about: 'Your own programs, forms and automation tools. The quickest way to a first event.',
      secret: 'chosen',
      before: [],
      after: [
        'Let the sender post to {address}',
        'Let it send the secret in the header `X-Webhook-Secret`, or as `Authorization: Bearer …`. A sender that can set no header may add `?key=…` to the address.',
      ],
    },
    adyen: {
      about: 'Payments and platforms.',
      secret: 'shown',
      before: [
        'In the Customer Area open **Developers → Webhooks** and create a webhook with the address {address}',
        'Leave the method at JSON.',
        'Under **Security** generate an **HMAC key** and copy it. Adyen shows it once. No basic authentication is needed.',
        'Test and live webhooks each have a key of their own: create an account for each.',
      ],
      after: ['Save the webhook at Adyen.', 'Choose **Test configuration** there.'],
    },
    github: {
      about: 'Webhooks of a repository, an organization, an enterprise or an app.',
      secret: 'chosen',
      before: [],
      after: [
        'On GitHub open **Settings → Webhooks → Add webhook**. For an app: **Webhook** in its settings.',
        'Payload URL: {address}',
        'Content type: `application/json`.',
        'Secret: paste the secret.',
        'Save. GitHub sends a `ping` at once.',
      ],
    },
    gitlab: {
      about: 'Webhooks of a project or a group, and system hooks.',
      secret: 'either',
      before: [
        'In the project or group open **Settings → Webhooks** and add a webhook with the URL {address}',
        'Choose the triggers.',
        'Generate a **signing token** (`whsec_…`) and copy it. GitLab shows it once. Before GitLab 19.0, choose a secret token instead.',
      ],
      after: ['Save the webhook at GitLab.', 'Choose **Test → Push events** there.'],
    },
    hmac: {
      about: 'Any other sender that signs with a shared key. You describe how it signs.',
      secret: 'either',
      before: [
        'Give the sender the address {address}',
        'Find in its documentation which header has the signature, and what is signed. Enter both as settings.',
        'Copy the key that it signs with. If you may choose the key, generate one.',
      ],
      after: ['Let the sender send a webhook.'],
    },
    intercom: {
      about: 'Notifications of an app in the Developer Hub.',
      secret: 'shown',
      before: ['In the Developer Hub open the app and copy **Basic information → Client secret**.'],
      after: [
        'In the Developer Hub open **Configure → Webhooks** and paste the endpoint URL {address}',
        'Choose topics and save. Intercom checks the address first; the gateway answers.',
        'Choose **Send a test request**. It creates an event of the type `ping`.',
      ],
    },
    mailgun: {
      about: 'Reports about sent e-mail, and inbound e-mail of a route.',
      secret: 'shown',
      before: [
        'In the Mailgun dashboard open **Account settings → API security** and copy the **HTTP webhook signing key**. It is not an API key.',
        'Mailgun retries for eight hours with the signature of its first try. So `tolerance_seconds` should be nine hours, as filled in here.',
      ],
      after: [
        'Open **Sending → Webhooks → Add webhook** and paste {address}',
        'Repeat this for each type that you want.',
        'For inbound e-mail, add a route with the action `forward("…")` and this address.',
      ],
      config: { tolerance_seconds: '32400' },
    },
    meta: {
      about: 'Facebook, Instagram, Messenger and WhatsApp.',
      secret: 'shown',
      before: [
        'In the App Dashboard open **App settings → Basic** and copy the **App secret**. With Instagram login, take the Instagram app secret.',
        'The verify token is any text that you choose. One is filled in here; you paste it at Meta later.',
      ],
      after: [
        'In the webhook settings of the product enter the Callback URL {address}',
        'Enter the verify token and save. The gateway answers the check of Meta.',
        'Subscribe to fields.',
      ],
    },
    sendgrid: {
      about: 'The signed Event Webhook: reports about sent e-mail.',
      secret: 'shown',
      before: [
        'In SendGrid open **Settings → Mail Settings → Event Webhooks → Create new webhook**. Post URL: {address}',
        'Choose the events, switch on **Signature Verification**, and save.',
        'Copy the **Verification Key** that SendGrid then shows. It begins with `MFkw`.',
        'SendGrid retries for a day. So `tolerance_seconds` should be a day, as filled in here.',
      ],
      after: ['Choose **Test Your Integration** at the webhook in SendGrid.'],
      config: { tolerance_seconds: '86400' },
    },
    shopify: {
      about: 'Webhooks of an app or of a shop.',
      secret: 'shown',
      before: [
        'For an app: open it in the Dev Dashboard and copy the client secret from **Settings → Credentials**.',
        'For webhooks made by hand: copy the key from **Settings → Notifications → Webhooks** of the shop.',
        'The two keys differ: create an account for each kind.',
      ],
      after: [
        'Subscribe with the address {address}',
        'You can do so in `shopify.app.toml`, with the Admin API, or on the page **Webhooks** of the shop.',
        'On that page, choose **Send test notification**.',
      ],
    },
    slack: {
      about: 'Events, slash commands and interactivity of a Slack app.',
      secret: 'shown',
      before: [
        'At `api.slack.com/apps` open the app and copy **Basic Information → App Credentials → Signing Secret**.',
        'Create the account before you give Slack the address: Slack checks the address at once.',
      ],
      after: [
        'Paste the Request URL under **Event Subscriptions**: {address}',
        'Use the same address under **Interactivity & Shortcuts** and for each **Slash Command** that you want.',
        'Cause an event, for example mention the app in a channel.',
      ],
    },
    standard: {
      about: 'Svix, Clerk, Resend and all who follow Standard Webhooks.',
      secret: 'shown',
      before: [
        'At the sender add an endpoint with the address {address}',
        'Copy the signing secret (`whsec_…`) or the public key (`whpk_…`) that it shows.',
      ],
      after: ['Let the sender send a test event.'],
    },
    stripe: {
      about: 'Payments, invoices and subscriptions.',
      secret: 'shown',
      before: [
        'In the Stripe dashboard open **Developers → Webhooks** (in Workbench: **Webhooks**) and add an endpoint with the address {address}',
        'Choose the events.',
        'Reveal the **signing secret** of the endpoint and copy all of it. It begins with `whsec_`.',
        'Test mode, live mode and the Stripe CLI have a secret each: create an account for each.',
      ],
      after: ['Cause an event, for example with `stripe trigger charge.succeeded`, or wait for one.'],
    },
    support_chat: {
      about: 'A support chat that sends its messages with a key in the address.',
      secret: 'chosen',
      before: [],
      after: ['In the settings of the chat enter the address with the key: {address}', 'Send a message in the chat.'],
    },
    twilio: {
      about: 'Messages, calls and Event Streams.',
      secret: 'shown',
      before: [
        'In the Twilio Console open **Account Dashboard → Account Info** and copy the primary **Auth Token**. API keys and secondary tokens do not sign. If a webhook rule signs with a shared key, copy the secret of that key instead.',
        'Twilio signs the address. Behind a proxy the gateway needs `PUBLIC_URL`, or this account the setting `public_url`.',
      ],
      after: [
        'Paste the address where Twilio asks for one, with the method **HTTP POST**: {address}',
        'Such places are the status callback, **A message comes in** of a number, and the sink of an Event Stream.',
        'Send a message to the number.',
      ],
    },
    vonage: {
      about: 'Messages, voice, verification and video.',
      secret: 'shown',
      before: [
        'In the Vonage dashboard open **API Settings** and copy the **Signature secret** of the API key of your application. It is not the API secret.',
        'To accept only webhooks of one application, set `application_id`.',
      ],
      after: [
        'Open **Applications → your application → Edit** and paste {address}',
        'Use it as the Status URL and Inbound URL of Messages, the Event URL of Voice (method POST, signed webhooks on), or the Status URL of Verify.',
        'Send a message to your number.',
      ],
    },
  }),
);

/** For providers of a later release. */
const otherProvider: ProviderSteps = {
  about: '',
  secret: 'either',
  before: ['At the provider add a webhook with the address {address}', 'Copy the secret that it shows.'],
  after: ['Let the provider send a test webhook.'],
};

export const stepsOf = (provider: string): ProviderSteps => providers.get(provider) ?? otherProvider;
