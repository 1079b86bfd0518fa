{{/* Scales a Deployment by its CPU; call with (dict "root" $ "name" … "component" … "autoscaling" …). */}}
{{- define "gateway.cpuAutoscaler" }}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "gateway.metadata" (dict "root" .root "name" .name "component" .component) | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ .name }}
  minReplicas: {{ .autoscaling.minReplicas }}
  maxReplicas: {{ .autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ .autoscaling.targetCPUUtilizationPercentage }}
  {{- with .autoscaling.behavior }}
  behavior:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{/* Scales workers by the tasks that wait in Temporal, and by their CPU: events that need a workflow wait in PostgreSQL. */}}
{{- define "gateway.kedaScaler" }}
{{- $root := .root }}
{{- $scaling := .group.autoscaling }}
{{- $temporal := $root.Values.temporal }}
{{- $queues := default (list "deliveries" "notifications" "maintenance" "backups") .group.queues }}
{{- $authentication := printf "%s-keda" (include "gateway.fullname" $root) }}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  {{- include "gateway.metadata" (dict "root" $root "name" .name "component" .component) | nindent 2 }}
spec:
  scaleTargetRef:
    name: {{ .name }}
  pollingInterval: {{ $scaling.keda.pollingInterval }}
  minReplicaCount: {{ $scaling.minReplicas }}
  maxReplicaCount: {{ $scaling.maxReplicas }}
  {{- with $scaling.behavior }}
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        {{- toYaml . | nindent 8 }}
  {{- end }}
  triggers:
    - type: cpu
      metricType: Utilization
      metadata:
        value: {{ $scaling.targetCPUUtilizationPercentage | quote }}
    {{- range $queues }}
    - type: temporal
      metadata:
        endpoint: {{ $temporal.address | quote }}
        namespace: {{ $temporal.namespace | quote }}
        taskQueue: {{ ternary $temporal.taskQueue (printf "%s-%s" $temporal.taskQueue .) (eq . "deliveries") | quote }}
        # All workflows run on the queue of deliveries.
        queueTypes: {{ ternary "workflow,activity" "activity" (eq . "deliveries") }}
        targetQueueSize: {{ $scaling.keda.targetQueueSize | quote }}
        {{- with $root.Values.workerDeployment.name }}
        workerDeploymentName: {{ . | quote }}
        workerDeploymentBuildId: {{ include "gateway.buildId" $root | quote }}
        {{- end }}
        {{- with $temporal.tls.serverName }}
        tlsServerName: {{ . | quote }}
        {{- end }}
      {{- if or $root.Values.keda.apiKey $temporal.tls.existingSecret }}
      authenticationRef:
        name: {{ $authentication }}
      {{- end }}
    {{- end }}
{{- end }}
